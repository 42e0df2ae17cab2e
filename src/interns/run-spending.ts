import type { ExpressionBuilder } from 'kysely'
import type { Query } from '#db/db.ts'
import type { Tables } from '#db/tables.ts'
import type { BudgetPart, TurnBudget } from './turn-budget.ts'

/**
 * A turn that did not finish by itself, or not yet: what was metered for it counts, also what was under way when it was
 * broken off. `toldUsd` is what is known of it besides.
 */
export type UnsettledRun = { meteredKey: string; beganAt: number; endedAt: number | null; toldUsd: number }
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
        e.fn.sum<number>(e.case().when(isSettled(e)).then(e.ref('spent_usd')).end()).as('spent'),
        e.fn.sum<number>(e.case().when('status', '<>', 'ended').then(1).else(0).end()).as('open'),
      ])
      .executeTakeFirstOrThrow(),
    ofSession
      .where((e) => e.not(isSettled(e)))
      .select(['metered_key as meteredKey', 'began_at as beganAt', 'ended_at as endedAt', 'spent_usd as toldUsd'])
      .$narrowType<{ meteredKey: string }>()
      .execute(),
  ])
  return {
    spentUsd: Number(spent ?? 0),
    unsettled: unsettled.map((run) => ({ ...run, toldUsd: run.toldUsd ?? 0 })),
    isOpen: Number(open ?? 0) > 0,
  }
}

const isSettled = (e: ExpressionBuilder<Tables, 'intern_runs'>) =>
  e.or([
    e('metered_key', 'is', null),
    e.and([e(e.fn.coalesce('outcome', e.val('')), '=', 'finished'), e('spent_usd', 'is not', null)]),
  ])

/** A turn that may cost no more than this, since it began. */
export type LimitedRun = { id: string; beganAt: number; costUsd: number; part: BudgetPart }

/** The turns of an intern that are under way and may cost no more than they may. */
export async function limitedRuns(query: Query, internId: string): Promise<LimitedRun[]> {
  return read(await openWithBudget(query).where('intern_id', '=', internId).execute())
}

/** The same of the intern whose own key this is, as long as it has been its key. */
export async function limitedRunsOfKey(query: Query, keyHash: string): Promise<LimitedRun[]> {
  const owner = query.selectFrom('interns').where('key_hash', '=', keyHash).select('id')
  const runs = openWithBudget(query).where('intern_id', '=', owner).where('metered_key', '=', keyHash)
  return read(await runs.execute())
}

const openWithBudget = (query: Query) =>
  query
    .selectFrom('intern_runs')
    .where('status', '<>', 'ended')
    .where('budget', 'is not', null)
    .select(['id', 'began_at', 'budget'])

const read = (rows: { id: string; began_at: number; budget: string | null }[]): LimitedRun[] =>
  rows.flatMap(({ id, began_at, budget }) => {
    const { costUsd, costOf } = JSON.parse(budget!) as TurnBudget
    return costUsd === undefined || !costOf ? [] : [{ id, beganAt: began_at, costUsd, part: costOf }]
  })
