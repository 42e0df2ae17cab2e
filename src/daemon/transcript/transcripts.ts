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
import { waitForWake } from '#platform/async/wait-for-wake.ts'
import type { DaemonLog } from '../log.ts'
import { StoreError } from '../store/store.ts'
import type { SessionChange, TranscriptStore } from '../store/transcript-store.ts'
import { endUnfinishedRuns } from './end-unfinished-runs.ts'
import { Followers } from './followers.ts'
import { Recorder, type TextEntry } from './recorder.ts'

/** The maximum delay before changes are saved. It is longer if only text changed, because text arrives in many pieces. */
const saveDelayMs = { default: 250, textOnly: 2000 }
/** The size, in UTF-16 units, above which changes are saved immediately. */
const maxUnsavedCharacters = 1024 * 1024
/** The size of one page of entries, in UTF-16 units of JSON. */
const maxPageLength = 2 * 1024 * 1024
/** The maximum number of changed entries or milestones that are read at once. */
const maxPageEntries = 100
/** A request for milestones waits at most this time, and then returns none. The client repeats the request. */
const milestoneWaitMs = 20_000

type TranscriptsDeps = { store: TranscriptStore; now: () => number; log: DaemonLog }

/**
 * The transcripts of an intern: saved at short intervals, and before the end of a run is reported. Reads save first, so that
 * they return all changes. A milestone is an entry that starts, pauses, resumes or ends a run.
 */
export class DaemonTranscripts implements Transcripts {
  readonly #store: TranscriptStore
  readonly #now: () => number
  readonly #log: DaemonLog
  readonly #recorders = new Map<string, Recorder>()
  readonly #followers = new Followers()
  #timer: NodeJS.Timeout | undefined
  #dueAt = Number.POSITIVE_INFINITY
  #unsavedCharacters = 0
  /** The last assigned id or revision. */
  #lastId: number
  /** Resolves when there is a new milestone. */
  #newMilestone = Promise.withResolvers<void>()

  constructor({ store, now, log }: TranscriptsDeps) {
    this.#store = store
    this.#now = now
    this.#log = log
    this.#lastId = store.lastId()
    try {
      endUnfinishedRuns({ store, now, nextId: () => this.#nextId() })
    } catch (error) {
      log('transcript.unsaved', { why: (error as Error).message })
    }
  }

  recorder(sessionId: string): Recorder {
    const existing = this.#recorders.get(sessionId)
    if (existing) return existing
    const deps = {
      now: this.#now,
      nextId: () => this.#nextId(),
      onChange: (isUrgent: boolean, characters: number) => this.#onChanged(isUrgent, characters),
      onText: (entry: TextEntry, offset: number, text: string) => this.#sendText(sessionId, entry, offset, text),
    }
    const recorder = new Recorder(deps, sessionId, this.#store.session(sessionId))
    this.#recorders.set(sessionId, recorder)
    return recorder
  }

  /**
   * Adds a recorder that was removed after its run, so that late changes are saved. @returns the current recorder of the
   * session, which is another one if the next run has started.
   */
  reopen(recorder: Recorder): Recorder {
    const existing = this.#recorders.get(recorder.sessionId)
    if (!existing) this.#recorders.set(recorder.sessionId, recorder)
    return existing ?? recorder
  }

  /** The number of runs of a session. */
  turns(sessionId: string): number {
    return (this.#recorders.get(sessionId) ?? this.#store.session(sessionId))?.turns ?? 0
  }

  /** Saves all changes. @throws StoreError */
  save(): void {
    clearTimeout(this.#timer)
    this.#dueAt = Number.POSITIVE_INFINITY
    this.#unsavedCharacters = 0
    const changes = [...this.#recorders.values()].flatMap((recorder) => recorder.unsavedChange() ?? [])
    if (changes.length === 0) return
    try {
      this.#store.write(changes, this.#now())
    } catch (error) {
      throw new StoreError(`The intern could not save its transcript: ${(error as Error).message}.`, { cause: error })
    }
    for (const change of changes) this.#onSaved(change)
    if (changes.some(({ entries }) => entries.some(isMilestone))) this.wake()
  }

  /** Whether any session has a reader. */
  hasFollowers(): boolean {
    return !this.#followers.isEmpty
  }

  /** Wakes requests that wait for milestones, because there is a new milestone, or because the daemon ends. */
  wake(): void {
    this.#newMilestone.resolve()
    this.#newMilestone = Promise.withResolvers()
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
    const entries = limitToPage(found.slice(0, limit))
    return { session, entries, hasMore: entries.length < found.length }
  }

  async milestones(revision: number, signal: AbortSignal): Promise<Milestone[]> {
    this.#trySaving()
    const readPage = () => limitToPage(this.#store.milestones(revision, maxPageEntries))
    const stored = readPage()
    if (stored.length > 0) return stored
    await waitForWake(this.#newMilestone.promise, signal, milestoneWaitMs)
    return readPage()
  }

  async follow(
    sessionId: string,
    revision: number,
    signal: AbortSignal,
    memberId?: string,
  ): Promise<AsyncIterableIterator<TranscriptEvent, undefined> | undefined> {
    this.#trySaving()
    if (!this.#store.session(sessionId)) return undefined
    if (this.#followers.isFull)
      throw new Refusal('questions_full', 'Too many readers follow this intern. Try again later.')
    if (this.#followers.isFullFor(memberId))
      throw new Refusal('questions_full', 'Too many readers of this member follow this intern. Close one of them.')
    let from = revision
    const catchUp = (): TranscriptEvent[] => {
      const entries = limitToPage(this.#store.changedSince(sessionId, from, maxPageEntries))
      from = entries.at(-1)?.revision ?? from
      return entries.map((entry) => ({ type: 'entry', entry }))
    }
    return this.#followers.follow({ sessionId, memberId, catchUp }, signal)
  }

  /**
   * Returns the next id or revision. It is at least the time in microseconds. It is therefore higher than all earlier ones, even
   * after a restart, and even if the entry with the highest one was deleted.
   */
  #nextId(): number {
    this.#lastId = Math.max(this.#lastId + 1, Math.floor(this.#now() * 1000))
    return this.#lastId
  }

  /** Counts a change and schedules its save. Saves at once if too many characters are unsaved. */
  #onChanged(isUrgent: boolean, characters: number): void {
    this.#unsavedCharacters += characters
    if (this.#unsavedCharacters > maxUnsavedCharacters) this.#trySaving()
    else this.#scheduleSave({ isUrgent })
  }

  #scheduleSave({ isUrgent }: { isUrgent: boolean }): void {
    const saveAt = performance.now() + (isUrgent ? saveDelayMs.default : saveDelayMs.textOnly)
    if (saveAt >= this.#dueAt) return
    this.#dueAt = saveAt
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#trySaving(), saveAt - performance.now()).unref()
  }

  /** Saves, and retries later after a failure. */
  #trySaving(): void {
    try {
      this.save()
    } catch (error) {
      this.#log('transcript.unsaved', { why: (error as Error).message })
      this.#scheduleSave({ isUrgent: false })
    }
  }

  #onSaved({ sessionId, entries }: SessionChange): void {
    const recorder = this.#recorders.get(sessionId)
    recorder?.markSaved()
    for (const entry of entries) this.#followers.send(sessionId, { type: 'entry', entry })
    if (recorder?.isIdle) this.#recorders.delete(sessionId)
  }

  #sendText(sessionId: string, { id, runId, at, type: kind }: TextEntry, offset: number, text: string): void {
    if (!this.#followers.has(sessionId)) return
    this.#followers.send(sessionId, { type: 'text', id, runId, at, kind, offset, text })
  }
}

const isMilestone = ({ type }: Entry) => (milestoneTypes as readonly string[]).includes(type)

/** Limits the size of a page. A page has at least one item. */
function limitToPage<Item>(items: Item[]): Item[] {
  let length = 0
  const page: Item[] = []
  for (const item of items) {
    length += JSON.stringify(item).length
    if (length > maxPageLength && page.length > 0) break
    page.push(item)
  }
  return page
}
