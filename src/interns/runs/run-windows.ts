import type { Selectable } from 'kysely'
import type { Db } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import { toRunRecord } from './run-record.ts'
import { keyOfUnannouncedRun } from './run-store.ts'

/** The time range of a run, and the key that the intern used in this run. `to` is undefined while the run is in flight. */
export type RunWindow = { runId: string; keyHash: string; from: number; to: number | undefined }
type Deps = { db: Pick<Db, 'query'> }

/** The runs of a session in which the intern's own key is known, oldest first. Runs of older versions are missing. */
export async function findRunWindows({ db }: Deps, internId: string, sessionId: string): Promise<RunWindow[]> {
  const rows = await selectRuns(db, internId).where('session_id', '=', sessionId).execute()
  return rows.map(toWindow).sort((a, b) => a.from - b.from)
}

/** The runs of other sessions that were in flight between two instants. */
export async function findConcurrentWindows(
  { db }: Deps,
  internId: string,
  { sessionId, from, to }: { sessionId: string; from: number; to: number },
): Promise<RunWindow[]> {
  const rows = await selectRuns(db, internId)
    .where('session_id', '<>', sessionId)
    .where((e) => e.or([e('ended_at', 'is', null), e('ended_at', '>=', from)]))
    .execute()
  return rows.map(toWindow).filter((window) => window.from <= to)
}

/** Whether a request was sent with the key of a run while it was in flight. */
export const wasSentInWindow = (
  request: { keyHash: string; at: number },
  { keyHash, from, to = Number.POSITIVE_INFINITY }: RunWindow,
) => request.keyHash === keyHash && request.at >= from && request.at <= to

const selectRuns = (db: Pick<Db, 'query'>, internId: string) =>
  db.query
    .selectFrom('intern_runs')
    .where('intern_id', '=', internId)
    .where('own_key', '<>', keyOfUnannouncedRun)
    .selectAll()
    .$narrowType<{ own_key: string }>()

function toWindow(row: Selectable<Tables['intern_runs']> & { own_key: string }): RunWindow {
  const { id: runId, startedAt: from, endedAt } = toRunRecord(row)
  return { runId, keyHash: row.own_key, from, to: endedAt ?? undefined }
}
