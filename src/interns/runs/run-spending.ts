import type { ExpressionBuilder } from 'kysely'
import type { Query } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { TurnBudget } from '../contract/turn-budget.ts'

/**
 * A run that has not finished, or was ended early. Its metered cost counts, with requests that were in flight when it was
 * ended. `reportedUsd` is the stored cost.
 */
export type UnsettledRun = { meteredKey: string; startedAt: number; endedAt: number | null; reportedUsd: number }
export type SessionSpending = { spentUsd: number; unsettled: UnsettledRun[]; isOpen: boolean }

/**
 * The recorded cost of the turns of a session. `isOpen`: some of them have not ended. A turn that is only announced counts
 * as well: its intern can be stopped before the turn is stored as a run.
 */
export async function readSessionSpending(query: Query, internId: string, sessionId: string): Promise<SessionSpending> {
  // Before the runs, so that a turn that becomes a run in between is found.
  const announced = await findAnnouncedTurns(query, internId, sessionId)
  const sessionRuns = query
    .selectFrom('intern_runs')
    .where('intern_id', '=', internId)
    .where('session_id', '=', sessionId)
  const [{ spent, open }, unsettled] = await Promise.all([
    sessionRuns
      .select((e) => [
        e.fn.sum<number>(e.case().when(isSettled(e)).then(e.ref('spent_usd')).end()).as('spent'),
        e.fn.sum<number>(e.case().when('status', '<>', 'ended').then(1).else(0).end()).as('open'),
      ])
      .executeTakeFirstOrThrow(),
    sessionRuns
      .where((e) => e.not(isSettled(e)))
      .select(['metered_key as meteredKey', 'began_at as startedAt', 'ended_at as endedAt', 'spent_usd as reportedUsd'])
      .select('budget')
      .$narrowType<{ meteredKey: string }>()
      .execute(),
  ])
  const accounts = new Set(unsettled.map(({ budget }) => (JSON.parse(budget ?? '{}') as TurnBudget).id))
  const pending = announced.filter(({ id }) => !accounts.has(id))
  return {
    spentUsd: Number(spent ?? 0),
    unsettled: [
      ...unsettled.map(({ budget: _budget, ...run }) => ({ ...run, reportedUsd: run.reportedUsd ?? 0 })),
      ...pending.map(({ id: _id, ...turn }) => ({ ...turn, endedAt: null, reportedUsd: 0 })),
    ],
    isOpen: Number(open ?? 0) + pending.length > 0,
  }
}

function findAnnouncedTurns(query: Query, internId: string, sessionId: string) {
  return query
    .selectFrom('announced_turns')
    .where('intern_id', '=', internId)
    .where('session_id', '=', sessionId)
    .select(['id', 'key_hash as meteredKey', 'began_at as startedAt'])
    .execute()
}

const isSettled = (e: ExpressionBuilder<Tables, 'intern_runs'>) =>
  e.or([
    e('metered_key', 'is', null),
    e.and([e(e.fn.coalesce('outcome', e.val('')), '=', 'finished'), e('spent_usd', 'is not', null)]),
  ])

/** `isComplete`: all requests are recorded. Otherwise the cost can still rise. */
export type MeteredCost = { usd: number; isComplete: boolean }

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
