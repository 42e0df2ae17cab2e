import { repeat } from '#platform/async/reconcile.ts'
import { dayMs, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { isLimited, type TurnBudget } from '../contract/turn-budget.ts'
import { deleteAnnouncement, findAnnouncedBudget, findAnnouncedKey } from './limited-turns.ts'
import { type RunRecord, type RunStatus, toRunRecord } from './run-record.ts'

export type StartedRun = Pick<RunRecord, 'id' | 'sessionId' | 'background' | 'startedAt'> & {
  /** The member who sent the prompt; null if unknown. */
  startedBy: string | null
  budget?: TurnBudget | undefined
  /** The key that started the run in the background, or moved it to the background. */
  keyHash?: string | undefined
  /** The hash of the intern's own key. */
  internKey?: string | null
}

/**
 * Stores a run that a daemon reports. The intern can control its daemon, so the budget and the key of the run are those of
 * its announcement, or the stored ones: a run that this service did not start does not open the key of the intern.
 */
export async function saveReportedRun(query: Query | Tx, internId: string, run: StartedRun): Promise<void> {
  const account = run.budget?.id
  const announcedBudget = account === undefined ? undefined : await findAnnouncedBudget(query, internId, account)
  if (announcedBudget) return saveStartedRun(query, internId, { ...run, budget: announcedBudget })
  const stored = await whereRun(query.selectFrom('intern_runs').select('budget'), internId, run.id).executeTakeFirst()
  const budget = stored ? undefined : run.budget && { ...run.budget, id: undefined }
  await saveRun(query, internId, { ...run, budget, internKey: null }, keyOfUnannouncedRun)
}

/**
 * The own key of a run without an announcement: no key. Only runs of older versions have null instead; those are allowed to
 * spend until they end.
 */
export const keyOfUnannouncedRun = ''

/** Stores a started run, or adds its budget, its key, or that it is in the background to the stored run. */
export const saveStartedRun = (query: Query | Tx, internId: string, run: StartedRun): Promise<void> =>
  saveRun(query, internId, run, run.internKey ?? null)

/** @param newRunKey the own key of the run if it is not stored yet. */
async function saveRun(query: Query | Tx, internId: string, run: StartedRun, newRunKey: string | null): Promise<void> {
  const { id, startedBy, internKey = null, budget } = run
  const row = {
    intern_id: internId,
    id,
    session_id: run.sessionId,
    status: 'running',
    background: Number(run.background),
    started_by: startedBy,
    key_hash: run.keyHash ?? null,
    own_key: newRunKey,
    began_at: run.startedAt,
  }
  // Inserts first: if another server has stored the run, the row stays, and the updates below change it.
  await upsert(query, 'intern_runs', [row], { key: ['intern_id', 'id'], replace: ['session_id'] }).execute()
  await saveStarterKey(query, internId, run)
  const updateRun = () => whereRun(query.updateTable('intern_runs'), internId, id)
  if (run.background) await updateRun().set({ background: 1 }).execute()
  // `own_key` finds the requests of every run. `metered_key` is set only under a limit, for the budget.
  if (internKey !== null)
    await updateRun()
      .set({ own_key: internKey })
      .where((e) => e.or([e('own_key', 'is', null), e('own_key', '=', keyOfUnannouncedRun)]))
      .execute()
  if (budget) await saveBudget(query, internId, id, budget, internKey)
  // Deleted only now: a request that starts in between must find the announcement or the run.
  if (budget?.id !== undefined) await deleteAnnouncement(query, budget.id)
  if (startedBy !== null) await updateRun().set({ started_by: startedBy }).where('started_by', 'is', null).execute()
}

/** Stores the key that started the run in the background or moved it to the background. A stored key is not replaced. */
async function saveStarterKey(query: Query | Tx, internId: string, { id, startedBy, keyHash }: StartedRun) {
  if (keyHash === undefined) return
  await whereRun(query.updateTable('intern_runs'), internId, id)
    .set({ key_hash: keyHash })
    .where('key_hash', 'is', null)
    // The key of an answer counts only if the answer moves the run to the background.
    .$if(startedBy === null, (rows) => rows.where('background', '=', 0))
    .execute()
}

async function saveBudget(
  query: Query | Tx,
  internId: string,
  id: string,
  budget: TurnBudget,
  internKey: string | null,
): Promise<void> {
  // The intern may have been restarted with a new key since its turn was announced. The turn spends with the earlier key.
  const announcedKey = budget.id === undefined ? undefined : await findAnnouncedKey(query, budget.id)
  const spendingKey = announcedKey ?? internKey
  await whereRun(query.updateTable('intern_runs'), internId, id)
    .set((e) => ({
      budget: JSON.stringify(budget),
      ...(isLimited(budget) && { metered_key: e.fn.coalesce('metered_key', e.val(spendingKey)) }),
    }))
    .execute()
}

type WaitingChange = { id: string; questionId: string; isOver: boolean }

/** Sets or clears the question that a run waits for. */
export async function setRunWaiting(
  tx: Tx,
  internId: string,
  { id, questionId, isOver }: WaitingChange,
): Promise<void> {
  const columns = isOver ? { status: 'running', question_id: null } : { status: 'waiting', question_id: questionId }
  await whereRun(tx.updateTable('intern_runs').set(columns), internId, id)
    .where('status', '<>', 'ended')
    .$if(isOver, (rows) => rows.where('question_id', '=', questionId))
    .execute()
}

export function whereRun<Rows extends { where: (column: 'intern_id' | 'id', is: '=', value: string) => Rows }>(
  rows: Rows,
  internId: string,
  id: string,
): Rows {
  return rows.where('intern_id', '=', internId).where('id', '=', id)
}

type RunReadDeps = { db: { query: Query } }

/** @throws Fault `not_found` */
export async function requireRun(deps: RunReadDeps, internId: string, id: string): Promise<RunRecord> {
  const run = await findRun(deps, internId, id)
  if (run) return run
  throw new Fault('not_found', 'Run not found. Old runs are deleted.')
}

export async function findRun({ db }: RunReadDeps, internId: string, id: string): Promise<RunRecord | undefined> {
  const row = await whereRun(db.query.selectFrom('intern_runs'), internId, id).selectAll().executeTakeFirst()
  return row && toRunRecord(row)
}

type RunFilter = {
  limit: number
  statuses?: readonly RunStatus[] | undefined
  sessionId?: string | undefined
  background?: boolean | undefined
  startingAfter?: string | undefined
}

/** Lists runs after `startingAfter`, the latest first. @throws Fault `invalid` if that is not a run of the intern. */
export async function listRuns(
  { db }: { db: { query: Query } },
  internId: string,
  { limit, statuses, sessionId, background, startingAfter }: RunFilter,
): Promise<{ runs: RunRecord[]; hasMore: boolean }> {
  let rows = db.query.selectFrom('intern_runs').where('intern_id', '=', internId)
  if (statuses?.length) rows = rows.where('status', 'in', statuses)
  if (sessionId !== undefined) rows = rows.where('session_id', '=', sessionId)
  if (background !== undefined) rows = rows.where('background', '=', Number(background))
  if (startingAfter !== undefined) {
    const last = await findRun({ db }, internId, startingAfter)
    if (!last) throw new Fault('invalid', 'Invalid request: starting_after: is not the id of a run of this intern')
    rows = rows.where((e) =>
      e.or([
        e('began_at', '<', last.startedAt),
        e.and([e('began_at', '=', last.startedAt), e('id', '<', startingAfter)]),
      ]),
    )
  }
  const found = await rows
    .selectAll()
    .orderBy('began_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return { runs: found.slice(0, limit).map(toRunRecord), hasMore: found.length > limit }
}

/** Whether any of these interns has a running run whose caller waits, because it is not in the background. */
export async function hasForegroundRun(query: Query, internIds: string[]): Promise<boolean> {
  if (internIds.length === 0) return false
  const found = await query
    .selectFrom('intern_runs')
    .where('intern_id', 'in', internIds)
    .where('status', '=', 'running')
    .where('background', '=', 0)
    .select('id')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** The user who started a background run, with a key or signed in. */
export type RunStarter = { keyHash: string | null; userId: string }

/**
 * The open runs of an intern, with the starters of background runs if known. An answer can move other runs to the background.
 */
export async function findStarters(
  query: Query,
  internId: string,
): Promise<{ id: string; starter: RunStarter | undefined }[]> {
  const rows = await query
    .selectFrom('intern_runs')
    .where('intern_id', '=', internId)
    .where('status', '<>', 'ended')
    .select(['id', 'background', 'key_hash', 'started_by'])
    .execute()
  return rows.map(({ id, background, key_hash: keyHash, started_by: userId }) => ({
    id,
    starter: background === 0 || userId === null ? undefined : { keyHash, userId },
  }))
}

const pruneEveryMs = 60 * 60_000

/** Deletes runs that ended more than `days` days ago, now and every hour. @returns the function that stops the loop. */
export function startPruningRuns(
  { db, now, onError }: { db: Pick<Db, 'query'>; now: Now; onError: (error: Error) => void },
  days: number,
): () => void {
  const prune = () =>
    db.query
      .deleteFrom('intern_runs')
      .where('ended_at', '<', now() - days * dayMs)
      .execute()
  return repeat(prune, { everyMs: pruneEveryMs, onError })
}
