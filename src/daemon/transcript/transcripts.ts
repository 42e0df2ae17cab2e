import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '#interns/refusal.ts'
import {
  type Entry,
  type EntryPage,
  milestoneTypes,
  type SessionPage,
  type TranscriptEvent,
  type Transcripts,
} from '#interns/transcript.ts'
import type { DaemonLog } from '../log.ts'
import { StoreFailed } from '../store.ts'
import { endUnfinished } from './end-unfinished.ts'
import { createFollowers } from './followers.ts'
import { Recorder, type TextEntry } from './recorder.ts'
import type { TranscriptStore } from './store.ts'

/** The longest time until what happened is saved. Text alone waits longer: it comes in many pieces. */
const saveWithinMs = { soon: 250, text: 2000 }
/** More than this is saved at once. In UTF-16 units. */
const maxUnsaved = 1024 * 1024
/** What one answer, or one look at the past, holds. */
const pageBytes = 2 * 1024 * 1024
/** Who waits for a milestone is told after this time that none came, and asks again. */
const milestoneWaitMs = 20_000

export type KeptTranscripts = Transcripts & {
  of(sessionId: string): Recorder
  /** How many turns a session has had. */
  turns(sessionId: string): number
  /** Saves all that happened. @throws StoreFailed */
  save(): void
  /** Whether anybody follows a session. */
  isFollowed(): boolean
  /** Nobody waits for a milestone any longer: the daemon ends. */
  wake(): void
  close(): void
}

type TranscriptsDeps = { store: TranscriptStore; now: () => number; log: DaemonLog }

/** What an intern's sessions said and did: recorded as it happens, saved in short intervals and before a turn's end is told. */
export function keepTranscripts({ store, now, log }: TranscriptsDeps): KeptTranscripts {
  const recorders = new Map<string, Recorder>()
  const followers = createFollowers()
  let timer: NodeJS.Timeout | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let unsaved = 0
  let last = store.last()
  let passed = Promise.withResolvers<void>()
  // Above all before it after a restart too, also where what had the highest number is no longer kept.
  const next = () => (last = Math.max(last + 1, Math.floor(now() * 1000)))

  const save = () => {
    clearTimeout(timer)
    dueAt = Number.POSITIVE_INFINITY
    unsaved = 0
    const changes = [...recorders.values()].flatMap((recorder) => recorder.pending() ?? [])
    if (changes.length === 0) return
    try {
      store.write(changes, now())
    } catch (error) {
      throw new StoreFailed(`The intern could not save its transcript: ${(error as Error).message}.`, { cause: error })
    }
    for (const { sessionId, entries } of changes) {
      recorders.get(sessionId)?.saved()
      if (followers.has(sessionId)) for (const entry of entries) followers.tell(sessionId, { type: 'entry', entry })
      if (recorders.get(sessionId)?.isIdle) recorders.delete(sessionId)
    }
    if (changes.some(({ entries }) => entries.some(isMilestone))) wake()
  }
  const wake = () => {
    passed.resolve()
    passed = Promise.withResolvers()
  }
  const saveLater = () => {
    try {
      save()
    } catch (error) {
      log('transcript.unsaved', { why: (error as Error).message })
      changed(false, 0)
    }
  }
  const changed = (soon: boolean, characters: number) => {
    unsaved += characters
    if (unsaved > maxUnsaved) return saveLater()
    const due = performance.now() + (soon ? saveWithinMs.soon : saveWithinMs.text)
    if (due >= dueAt) return
    dueAt = due
    clearTimeout(timer)
    timer = setTimeout(saveLater, due - performance.now()).unref()
  }

  const of = (sessionId: string) => {
    const known = recorders.get(sessionId)
    if (known) return known
    const told = (entry: TextEntry, offset: number, text: string) => {
      const { id, runId, at, type: kind } = entry
      if (followers.has(sessionId)) followers.tell(sessionId, { type: 'text', id, runId, at, kind, offset, text })
    }
    const recorder = new Recorder({ now, next, changed, told }, sessionId, store.session(sessionId))
    recorders.set(sessionId, recorder)
    return recorder
  }
  try {
    endUnfinished({ store, now, next })
  } catch (error) {
    log('transcript.unsaved', { why: (error as Error).message })
  }

  return {
    of,
    turns: (sessionId) => (recorders.get(sessionId) ?? store.session(sessionId))?.turns ?? 0,
    save,
    isFollowed: followers.any,
    wake,
    close: () => clearTimeout(timer),
    list: async ({ after, limit }): Promise<SessionPage> => {
      saveLater()
      const sessions = store.sessions(after, limit + 1)
      return { sessions: sessions.slice(0, limit), hasMore: sessions.length > limit }
    },
    read: async (sessionId, { after, limit }): Promise<EntryPage | undefined> => {
      saveLater()
      const session = store.session(sessionId)
      if (!session) return undefined
      const found = store.entries(sessionId, Number(after ?? 0), limit + 1)
      const entries = withinBytes(found.slice(0, limit))
      return { session, entries, hasMore: entries.length < found.length }
    },
    milestones: async (revision, signal) => {
      saveLater()
      const found = () => withinBytes(store.milestones(revision, 100))
      const known = found()
      if (known.length > 0) return known
      await Promise.race([passed.promise, sleep(milestoneWaitMs, undefined, { signal, ref: false }).catch(() => {})])
      return found()
    },
    follow: async (sessionId, revision, signal) => {
      saveLater()
      if (!store.session(sessionId)) return undefined
      if (followers.isFull()) throw new Refusal('questions_full', 'Too many follow this intern. Try again later.')
      let from = revision
      const catchUp = (): TranscriptEvent[] => {
        const entries = withinBytes(store.changedSince(sessionId, from, 100))
        from = entries.at(-1)?.revision ?? from
        return entries.map((entry) => ({ type: 'entry', entry }))
      }
      return followers.follow(sessionId, catchUp, signal)
    },
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
