import type { Entry } from '#interns/contract/transcript.ts'
import type { TranscriptStore } from '../store/transcript-store.ts'
import { isOpenCall } from './recorder.ts'

type Deps = {
  store: TranscriptStore
  now: () => number
  /** Returns the next id or revision, which is higher than all earlier ones. */
  nextId: () => number
}

/** Ends the runs that an earlier daemon left unfinished, with their pending questions and open tool calls. */
export function endUnfinishedRuns({ store, now, nextId }: Deps): void {
  for (const { id: sessionId } of store.unfinishedSessions()) {
    const session = store.session(sessionId)
    // The write for another session has deleted this session, to keep the limit for all sessions.
    if (!session) continue
    const at = now()
    const entries = store.entries(sessionId, 0, Number.MAX_SAFE_INTEGER)
    const runId = entries.at(-1)?.runId ?? ''
    const unfinished = entries.flatMap((entry): Entry[] => {
      const change = { revision: nextId(), updatedAt: at }
      if (entry.type === 'question' && entry.answer.state === 'waiting')
        return [{ ...entry, ...change, answer: { state: 'ended' } }]
      if (entry.type === 'tool_call' && entry.runId === runId && isOpenCall(entry))
        return [{ ...entry, ...change, status: 'failed', endedAt: at }]
      return []
    })
    const id = nextId()
    const end: Entry = {
      id,
      revision: id,
      runId,
      at,
      updatedAt: at,
      type: 'end',
      reason: 'severed',
      message: 'The daemon ended during the turn.',
      model: null,
      usage: null,
    }
    const { title, turns } = session
    store.write([{ sessionId, title, status: 'idle', turns, entries: [...unfinished, end] }], at)
  }
}
