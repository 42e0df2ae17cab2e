import type { Query } from '#db/db.ts'
import type { BudgetPart, TurnBudget } from './turn-budget.ts'

/** What a turn of a session has cost is not written down: it goes on, or was broken off. What was metered tells. */
export type UnsettledRun = { meteredKey: string; beganAt: number; endedAt: number | null }
export type SessionSpending = { spentUsd: number; unsettled: UnsettledRun[]; isOpen: boolean }

/** What the turns of a session have cost, as far as it is written down. `isOpen`: not all of them are over. */
export async function sessionSpending(query: Query, internId: string, sessionId: string): Promise<SessionSpending> {
  const ofSession = query
    .selectFrom('intern_runs')
    .where('intern_id', '=', internId)
    .where('session_id', '=', sessionId)
  const [{ spent, open }, unsettled] = await Promise.all([
    ofSession
      .select((e) => [
        e.fn.coalesce(e.fn.sum<number>('spent_usd'), e.lit(0)).as('spent'),
        e.fn.sum<number>(e.case().when('status', '<>', 'ended').then(1).else(0).end()).as('open'),
      ])
      .executeTakeFirstOrThrow(),
    ofSession
      .where('spent_usd', 'is', null)
      .where('metered_key', 'is not', null)
      .select(['metered_key as meteredKey', 'began_at as beganAt', 'ended_at as endedAt'])
      .$narrowType<{ meteredKey: string }>()
      .execute(),
  ])
  return { spentUsd: Number(spent), unsettled, isOpen: Number(open ?? 0) > 0 }
}

/** A turn that may cost no more than this, since it began. */
export type LimitedRun = { id: string; beganAt: number; costUsd: number; part: BudgetPart }

/** The turns of an intern that are under way and may cost no more than they may. */
export async function limitedRuns(query: Query, internId: string): Promise<LimitedRun[]> {
  const rows = await query
    .selectFrom('intern_runs')
    .where('intern_id', '=', internId)
    .where('status', '<>', 'ended')
    .where('budget', 'is not', null)
    .select(['id', 'began_at', 'budget'])
    .execute()
  return rows.flatMap(({ id, began_at, budget }) => {
    const { costUsd, costOf } = JSON.parse(budget!) as TurnBudget
    return costUsd === undefined || !costOf ? [] : [{ id, beganAt: began_at, costUsd, part: costOf }]
  })
}
