import type { ExpressionBuilder } from 'kysely'
import type { Query } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'

/**
 * A turn that did not finish by itself, or not yet: what was metered for it counts, also what was under way when it was
 * broken off. `toldUsd` is what is known of it besides.
 */
export type UnsettledRun = { meteredKey: string; startedAt: number; endedAt: number | null; toldUsd: number }
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
      .select(['metered_key as meteredKey', 'began_at as startedAt', 'ended_at as endedAt', 'spent_usd as toldUsd'])
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

/** What requests with a key have cost in USD that began since an instant, and until one, as far as it is metered. */
export type Spent = (keyHash: string, since: number, until?: number) => Promise<number>

/** The same as `sessionSpending`, with what was metered for those that did not finish. */
export async function spentBySession(
  { db, spent }: { db: { query: Query }; spent: Spent },
  internId: string,
  sessionId: string,
): Promise<number> {
  const { spentUsd, unsettled } = await sessionSpending(db.query, internId, sessionId)
  const others = await Promise.all(
    unsettled.map(async ({ meteredKey, startedAt, endedAt, toldUsd }) =>
      Math.max(toldUsd, await spent(meteredKey, startedAt, endedAt ?? undefined)),
    ),
  )
  return others.reduce((sum, usd) => sum + usd, spentUsd)
}
