import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { intervals } from '#platform/core/vocabulary.ts'
import type { Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { type Day, periodStart } from '../ledger/days.ts'
import type { ChargedRow } from './charged-row.ts'
import { findCountingAccounts } from './counting-accounts.ts'

/** An amount by which the charge of a request was lowered. */
type ReleasedCharge = { row: ChargedRow; amount: PicoUsd }

type AccountRelease = { account: string; period: Day; amount: PicoUsd }

/**
 * Gives amounts back to all limits that count the requests. The transaction must keep accounts from opening (`lockOpenings`):
 * an account that is opened later starts with the corrected sum of the ledger.
 */
export async function releaseFromBudgets(tx: Tx, charges: readonly ReleasedCharge[]): Promise<void> {
  const lowered = charges.filter(({ amount }) => amount > 0n)
  const accounts = await findCountingAccounts(
    tx,
    lowered.map(({ row }) => row),
  )
  const releases = lowered.flatMap(({ row, amount }) =>
    (accounts.get(row.id) ?? []).flatMap((account) =>
      periodsOf(row).map((period): AccountRelease => ({ account, period, amount })),
    ),
  )
  const byPeriod = Map.groupBy(releases, ({ account, period }) => `${account} ${period}`)
  // Sorted: two servers that lock the same budgets in different orders would deadlock.
  for (const [, group] of [...byPeriod].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { account, period } = group[0]!
    const released = group.reduce((sum, { amount }) => sum + amount, 0n)
    await tx
      .updateTable('budget_periods')
      .set({ spent_pico: sql<bigint>`spent_pico - ${released}` })
      .where('budget', '=', account)
      .where('period', '=', period)
      .execute()
  }
}

/** A charge counts in the current period of every interval, because the interval of a limit can change. */
const periodsOf = ({ created_at }: ChargedRow): Day[] => [
  ...new Set([0, ...intervals.map((interval) => periodStart(interval, created_at))]),
]
