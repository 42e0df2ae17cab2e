import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '#interns/contract/refusal.ts'
import {
  type Entry,
  type EntryPage,
  type Milestone,
  milestoneTypes,
  type Page,
  type SessionPage,
  type TranscriptEvent,
  type Transcripts,
} from '#interns/contract/transcript.ts'
import type { DaemonLog } from '../log.ts'
import { StoreFailed } from '../store/store.ts'
import type { SessionChange, TranscriptStore } from '../store/transcript-store.ts'
import { endUnfinished } from './end-unfinished.ts'
import { createFollowers } from './followers.ts'
import { Recorder, type TextEntry } from './recorder.ts'

/** The longest time until what happened is saved. Text alone waits longer: it comes in many pieces. */
const saveWithinMs = { soon: 250, text: 2000 }
/** More than this is saved at once. In UTF-16 units. */
const maxUnsaved = 1024 * 1024
/** What one answer, or one look at the past, holds. */
const pageBytes = 2 * 1024 * 1024
/** Who waits for a milestone is told after this time that none came, and asks again. */
const milestoneWaitMs = 20_000

type TranscriptsDeps = { store: TranscriptStore; now: () => number; log: DaemonLog }

/** What an intern's sessions said and did: recorded as it happens, saved in short intervals and before a turn's end is told. */
export class DaemonTranscripts implements Transcripts {
  readonly #store: TranscriptStore
  readonly #now: () => number
  readonly #log: DaemonLog
  readonly #recorders = new Map<string, Recorder>()
  readonly #followers = createFollowers()
  #timer: NodeJS.Timeout | undefined
  #dueAt = Number.POSITIVE_INFINITY
  #unsaved = 0
  #last: number
  #passed = Promise.withResolvers<void>()

  constructor({ store, now, log }: TranscriptsDeps) {
    this.#store = store
    this.#now = now
    this.#log = log
    this.#last = store.last()
    try {
      endUnfinished({ store, now, next: () => this.#next() })
    } catch (error) {
      log('transcript.unsaved', { why: (error as Error).message })
    }
  }

  of(sessionId: string): Recorder {
    const known = this.#recorders.get(sessionId)
    if (known) return known
    const deps = {
      now: this.#now,
      next: () => this.#next(),
      changed: (soon: boolean, characters: number) => this.#changed(soon, characters),
      told: (entry: TextEntry, offset: number, text: string) => this.#tellText(sessionId, entry, offset, text),
    }
    const recorder = new Recorder(deps, sessionId, this.#store.session(sessionId))
    this.#recorders.set(sessionId, recorder)
    return recorder
  }

  /** How many turns a session has had. */
  turns(sessionId: string): number {
    return (this.#recorders.get(sessionId) ?? this.#store.session(sessionId))?.turns ?? 0
  }

  /** Saves all that happened. @throws StoreFailed */
  save(): void {
    clearTimeout(this.#timer)
    this.#dueAt = Number.POSITIVE_INFINITY
    this.#unsaved = 0
    const changes = [...this.#recorders.values()].flatMap((recorder) => recorder.pending() ?? [])
    if (changes.length === 0) return
    try {
      this.#store.write(changes, this.#now())
    } catch (error) {
      throw new StoreFailed(`The intern could not save its transcript: ${(error as Error).message}.`, { cause: error })
    }
    for (const change of changes) this.#saved(change)
    if (changes.some(({ entries }) => entries.some(isMilestone))) this.wake()
  }

  /** Whether anybody follows a session. */
  isFollowed(): boolean {
    return this.#followers.any()
  }

  /** Nobody waits for a milestone any longer: there is one, or the daemon ends. */
  wake(): void {
    this.#passed.resolve()
    this.#passed = Promise.withResolvers()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  async list({ after, limit }: Page): Promise<SessionPage> {
    this.#trySaving()
    const sessions = this.#store.sessions(after, limit + 1)
    return { sessions: sessions.slice(0, limit), hasMore: sessions.length > limit }
  }

  async read(sessionId: string, { after, limit }: Page): Promise<EntryPage | undefined> {
    this.#trySaving()
    const session = this.#store.session(sessionId)
    if (!session) return undefined
    const found = this.#store.entries(sessionId, Number(after ?? 0), limit + 1)
    const entries = withinBytes(found.slice(0, limit))
    return { session, entries, hasMore: entries.length < found.length }
  }

  async milestones(revision: number, signal: AbortSignal): Promise<Milestone[]> {
    this.#trySaving()
    const found = () => withinBytes(this.#store.milestones(revision, 100))
    const known = found()
    if (known.length > 0) return known
    const waited = sleep(milestoneWaitMs, undefined, { signal, ref: false }).catch(() => {})
    await Promise.race([this.#passed.promise, waited])
    return found()
  }

  async follow(
    sessionId: string,
    revision: number,
    signal: AbortSignal,
  ): Promise<AsyncIterableIterator<TranscriptEvent, undefined> | undefined> {
    this.#trySaving()
    if (!this.#store.session(sessionId)) return undefined
    if (this.#followers.isFull()) throw new Refusal('questions_full', 'Too many follow this intern. Try again later.')
    let from = revision
    const catchUp = (): TranscriptEvent[] => {
      const entries = withinBytes(this.#store.changedSince(sessionId, from, 100))
      from = entries.at(-1)?.revision ?? from
      return entries.map((entry) => ({ type: 'entry', entry }))
    }
    return this.#followers.follow(sessionId, catchUp, signal)
  }

  /**
   * The next id or revision: above all before it, after a restart too, also where what had the highest number is no
   * longer kept.
   */
  #next(): number {
    this.#last = Math.max(this.#last + 1, Math.floor(this.#now() * 1000))
    return this.#last
  }

  /** Something is to be saved: `soon`, or when it suits. */
  #changed(soon: boolean, characters: number): void {
    this.#unsaved += characters
    if (this.#unsaved > maxUnsaved) return this.#trySaving()
    const due = performance.now() + (soon ? saveWithinMs.soon : saveWithinMs.text)
    if (due >= this.#dueAt) return
    this.#dueAt = due
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#trySaving(), due - performance.now()).unref()
  }

  /** What cannot be saved now is tried again later. */
  #trySaving(): void {
    try {
      this.save()
    } catch (error) {
      this.#log('transcript.unsaved', { why: (error as Error).message })
      this.#changed(false, 0)
    }
  }

  #saved({ sessionId, entries }: SessionChange): void {
    const [recorder, followers] = [this.#recorders.get(sessionId), this.#followers]
    recorder?.saved()
    if (followers.has(sessionId)) for (const entry of entries) followers.tell(sessionId, { type: 'entry', entry })
    if (recorder?.isIdle) this.#recorders.delete(sessionId)
  }

  #tellText(sessionId: string, { id, runId, at, type: kind }: TextEntry, offset: number, text: string): void {
    if (!this.#followers.has(sessionId)) return
    this.#followers.tell(sessionId, { type: 'text', id, runId, at, kind, offset, text })
  }
}

const isMilestone = ({ type }: Entry) => (milestoneTypes as readonly string[]).includes(type)

/** At least one, so that every page leads on. */
function withinBytes<Item>(items: Item[]): Item[] {
  let bytes = 0
  const kept: Item[] = []
  for (const item of items) {
    bytes += JSON.stringify(item).length
    if (bytes > pageBytes && kept.length > 0) break
    kept.push(item)
  }
  return kept
}
