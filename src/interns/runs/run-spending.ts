import type { ExpressionBuilder } from 'kysely'
import type { Query } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { TurnBudget } from '../contract/turn-budget.ts'

/**
 * A run that has not finished, or was ended early. Its metered cost counts, with requests that were in flight when it was
 * ended. `reportedUsd` is the cost that was stored when it ended, which can miss those requests; 0 if none is stored.
 */
type UnsettledRun = { meteredKey: string; startedAt: number; endedAt: number | null; reportedUsd: number }
type SessionSpending = { spentUsd: number; unsettled: UnsettledRun[]; isOpen: boolean }

/** A turn that is only announced, a run that is not settled, or the sums of the settled runs. */
type SpendingRow = {
  announcedId: string | null
  meteredKey: string | null
  startedAt: number | null
  endedAt: number | null
  spentUsd: number | null
  budget: string | null
  openRuns: number | null
}

/**
 * The recorded cost of the turns of a session. `isOpen`: some of them have not ended. A turn that is only announced counts
 * as well: its intern can be stopped before the turn is stored as a run. Uses one statement, so that a turn whose run is
 * stored or ends meanwhile counts once.
 */
export async function readSessionSpending(query: Query, internId: string, sessionId: string): Promise<SessionSpending> {
  const sessionRuns = query
    .selectFrom('intern_runs')
    .where('intern_id', '=', internId)
    .where('session_id', '=', sessionId)
  const unsettledRuns = sessionRuns
    .where((e) => e.not(isSettled(e)))
    .select((e) => e.cast<string | null>(e.val(null), 'text').as('announcedId'))
    .select(['metered_key as meteredKey', 'began_at as startedAt', 'ended_at as endedAt', 'spent_usd as spentUsd'])
    .select('budget')
    .select((e) => e.case().when('status', '<>', 'ended').then(1).else(0).end().as('openRuns'))
    .$castTo<SpendingRow>()
  const settledRuns = sessionRuns
    .where((e) => isSettled(e))
    .select((e) => [
      e.cast<string | null>(e.val(null), 'text').as('announcedId'),
      e.cast<string | null>(e.val(null), 'text').as('meteredKey'),
      e.cast<number | null>(e.val(null), 'bigint').as('startedAt'),
      e.cast<number | null>(e.val(null), 'bigint').as('endedAt'),
      e.fn.sum<number>('spent_usd').as('spentUsd'),
      e.cast<string | null>(e.val(null), 'text').as('budget'),
      e.fn.sum<number>(e.case().when('status', '<>', 'ended').then(1).else(0).end()).as('openRuns'),
    ])
    .$castTo<SpendingRow>()
  const announcedTurns = query
    .selectFrom('announced_turns')
    .where('intern_id', '=', internId)
    .where('session_id', '=', sessionId)
    .select(['id as announcedId', 'key_hash as meteredKey', 'began_at as startedAt'])
    .select((e) => [
      e.cast<number | null>(e.val(null), 'bigint').as('endedAt'),
      e.cast<number | null>(e.val(null), 'double precision').as('spentUsd'),
      e.cast<string | null>(e.val(null), 'text').as('budget'),
      e.lit(1).as('openRuns'),
    ])
    .$castTo<SpendingRow>()
  const rows = await unsettledRuns.unionAll(settledRuns).unionAll(announcedTurns).execute()
  return sumSessionRows(rows)
}

function sumSessionRows(rows: readonly SpendingRow[]): SessionSpending {
  const storedTurns = new Set(rows.map(({ budget }) => (JSON.parse(budget ?? '{}') as TurnBudget).id))
  const spending: SessionSpending = { spentUsd: 0, unsettled: [], isOpen: false }
  for (const { announcedId, meteredKey, startedAt, endedAt, spentUsd, openRuns } of rows) {
    // A turn that is announced and stored counts as a run.
    if (announcedId !== null && storedTurns.has(announcedId)) continue
    spending.isOpen ||= Number(openRuns ?? 0) > 0
    if (meteredKey === null || startedAt === null) spending.spentUsd += Number(spentUsd ?? 0)
    else spending.unsettled.push({ meteredKey, startedAt, endedAt, reportedUsd: spentUsd ?? 0 })
  }
  return spending
}

/** The condition of runs whose stored cost counts, and not the metered one. A run without a limit is not metered. */
const isSettled = (e: ExpressionBuilder<Tables, 'intern_runs'>) =>
  e.or([
    e('metered_key', 'is', null),
    e.and([e(e.fn.coalesce('outcome', e.val('')), '=', 'finished'), e('spent_usd', 'is not', null)]),
  ])

/** `isComplete`: all requests are recorded. Otherwise the cost can still rise. */
type MeteredCost = { usd: number; isComplete: boolean }

/** Returns the recorded cost of the requests with a key that started between two instants; without `until`, until now. */
export type ReadSpending = (keyHash: string, since: number, until?: number) => Promise<MeteredCost>

/** The cost of a session, with the metered cost of its unfinished turns. */
export async function readSessionCost(
  { db, readSpending }: { db: { query: Query }; readSpending: ReadSpending },
  internId: string,
  sessionId: string,
): Promise<number> {
  const { spentUsd, unsettled } = await readSessionSpending(db.query, internId, sessionId)
  const unsettledCosts = await Promise.all(
    unsettled.map(async ({ meteredKey, startedAt, endedAt, reportedUsd }) =>
      Math.max(reportedUsd, (await readSpending(meteredKey, startedAt, endedAt ?? undefined)).usd),
    ),
  )
  return unsettledCosts.reduce((sum, usd) => sum + usd, spentUsd)
}
