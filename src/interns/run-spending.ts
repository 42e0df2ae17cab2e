import type { Query } from '#db/db.ts'
import type { BudgetPart, TurnBudget } from './turn-budget.ts'

/** What the turns of a session have cost, as far as it is written down: `isWritten` says whether all of them are over. */
export async function sessionSpending(
  query: Query,
  internId: string,
  sessionId: string,
): Promise<{ spentUsd: number; isWritten: boolean }> {
  const { spent, open } = await query
    .selectFrom('intern_runs')
    .where('intern_id', '=', internId)
    .where('session_id', '=', sessionId)
    .select((e) => [
      e.fn.coalesce(e.fn.sum<number>('spent_usd'), e.lit(0)).as('spent'),
      e.fn.sum<number>(e.case().when('status', '<>', 'ended').then(1).else(0).end()).as('open'),
    ])
    .executeTakeFirstOrThrow()
  return { spentUsd: Number(spent), isWritten: Number(open ?? 0) === 0 }
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
