import { clampToColumn, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { exactText } from '../../ledger/sums/exact.ts'
import type { Period } from '../budget.ts'

/** The money of a budget that a server has leased in a period. */
export type Lease = {
  /**
   * The server's id and the limit's reset interval: a server has one lease per interval (`leaseHolder` in `leases.ts`). The column is
   * named `server`.
   */
  holder: string
  period: Period
  held: PicoUsd
  /** The server's total spending in the period, as it last reported. */
  spent: PicoUsd
  /** The time of its last report, by the database's clock. */
  renewedAt: number
}

/** The leases of each of these accounts, and the database's time. */
export async function readLeases(
  query: Db['query'] | Tx,
  clock: DatabaseClock,
  accounts: readonly string[],
): Promise<{ at: number; leases: Map<string, Lease[]> }> {
  const [clockResult, rows] = await Promise.all([
    sql<{ at: number }>`select ${clock.nowSql()} as at`.execute(query),
    query
      .selectFrom('budget_leases')
      .where('budget', 'in', accounts)
      .select(['budget', 'server', 'period', 'renewed_at'])
      .select([exactText('held_pico').as('held'), exactText('spent_pico').as('spent')])
      .execute(),
  ])
  const leases = Map.groupBy(rows, ({ budget }) => budget)
  return {
    at: Number(clockResult.rows[0]!.at),
    leases: new Map(
      [...leases].map(([account, accountRows]) => [
        account,
        accountRows.map(({ server: holder, period, renewed_at: renewedAt, ...row }) => ({
          holder,
          period,
          renewedAt,
          held: BigInt(row.held),
          spent: BigInt(row.spent),
        })),
      ]),
    ),
  }
}

export async function writeLease(tx: Tx, account: string, { holder, period, ...lease }: Lease): Promise<void> {
  const values = { held_pico: lease.held, spent_pico: clampToColumn(lease.spent), renewed_at: lease.renewedAt }
  const key = { budget: account, period, server: holder }
  await upsert(tx, 'budget_leases', [{ ...key, ...values }], { key: ['budget', 'period', 'server'] }).execute()
}

export async function deleteLease(tx: Tx, account: string, { holder, period }: Lease): Promise<void> {
  await tx
    .deleteFrom('budget_leases')
    .where('budget', '=', account)
    .where('period', '=', period)
    .where('server', '=', holder)
    .execute()
}

/** Deletes leases of periods that are over, if their servers last reported before an instant. */
export async function deleteOldLeases(tx: Tx, account: string, period: Period, before: number): Promise<void> {
  await tx
    .deleteFrom('budget_leases')
    .where('budget', '=', account)
    // Period 0 never ends.
    .where('period', '>', 0)
    .where('period', '<', period)
    .where('renewed_at', '<', before)
    .execute()
}
