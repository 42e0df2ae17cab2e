import type { Entry } from '#interns/contract/transcript.ts'
import type { TranscriptStore } from '../store/transcript-store.ts'

type Deps = {
  store: TranscriptStore
  now: () => number
  /** The next id or revision: above all before it. */
  next: () => number
}

/** Ends the runs that an earlier life of the daemon left unfinished, and the questions that they waited with. */
export function endUnfinished({ store, now, next }: Deps): void {
  for (const { id: sessionId } of store.open()) {
    const session = store.session(sessionId)
    // Forgotten a moment ago, to make room for the end of another.
    if (!session) continue
    const at = now()
    const entries = store.entries(sessionId, 0, Number.MAX_SAFE_INTEGER)
    const questions = entries.flatMap((entry): Entry[] =>
      entry.type === 'question' && entry.answer.state === 'waiting'
        ? [{ ...entry, answer: { state: 'ended' }, revision: next(), updatedAt: at }]
        : [],
    )
    const id = next()
    const end: Entry = {
      ...{ id, revision: id, runId: entries.at(-1)?.runId ?? '', at, updatedAt: at },
      ...{ type: 'end', reason: 'severed', message: 'The daemon ended before the turn did.', model: null, usage: null },
    }
    const { title, turns } = session
    store.write([{ sessionId, title, status: 'idle', turns, entries: [...questions, end] }], at)
  }
}
