import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { exactText } from '../../ledger/sums/exact.ts'
import type { Period } from '../budget.ts'
import type { Lease } from './lease-rows.ts'
import type { NotifiedThreshold } from './notification-rows.ts'

export type StoredBudget = {
  /** The database's time. */
  at: number
  /** Undefined if no account of the period is stored. */
  spent: PicoUsd | undefined
  /** The leases of all periods, because a lease of another interval counts in each period that it overlaps. */
  leases: Lease[]
  /** The thresholds that were notified in the period. */
  notifiedThresholds: NotifiedThreshold[]
  /** The percentages at which webhooks are notified; undefined for the default. */
  thresholds?: number[]
}

/**
 * One row of `readBudget`. The meaning of the columns depends on `kind`:
 * - `clock`: `at` is the database's time.
 * - `period`: `spent` is the spending of the account in the period.
 * - `lease`: `spent` and `held` are the amounts of `server` in `period`, `at` the time of its last report.
 * - `notified`: `at` is the percentage, `server` the reset interval, and `spent` the limit.
 * - `thresholds`: `server` has the percentages as JSON.
 */
type BudgetRow = {
  kind: 'clock' | 'period' | 'lease' | 'notified' | 'thresholds'
  at: number
  server: string
  period: Period
  spent: string
  held: string
}

/**
 * Reads an account in one query, because the caller holds a lock and the database can be remote.
 * @param account the id of an account: of a budget, or of a limit for one key, member, session or tag value.
 * @param thresholdOwner the id under which thresholds are stored (`thresholdOwner()`); empty for the default thresholds.
 */
export async function readBudget(
  query: Db['query'] | Tx,
  clock: DatabaseClock,
  account: string,
  period: Period,
  thresholdOwner = '',
): Promise<StoredBudget> {
  const { rows } = await sql<BudgetRow>`
    select 'clock' as kind, ${clock.nowSql()} as at, '' as server, 0 as period, '0' as spent, '0' as held
    union all
    select 'period', 0, '', period, ${exactText('spent_pico')}, '0'
      from budget_periods where budget = ${account} and period = ${period}
    union all
    select 'lease', renewed_at, server, period, ${exactText('spent_pico')}, ${exactText('held_pico')}
      from budget_leases where budget = ${account}
    union all
    select 'notified', percent, reset_interval, period, ${exactText('limit_pico')}, '0'
      from told_limits where budget = ${account} and period = ${period}
    union all
    select 'thresholds', 0, percents, 0, '0', '0'
      from budget_thresholds where owner = ${thresholdOwner}`.execute(query)
  const stored: StoredBudget = { at: 0, spent: undefined, leases: [], notifiedThresholds: [] }
  for (const { kind, at, server, period: rowPeriod, ...row } of rows) {
    const spent = BigInt(row.spent)
    const held = BigInt(row.held)
    if (kind === 'clock') stored.at = at
    else if (kind === 'period') stored.spent = spent
    else if (kind === 'thresholds') stored.thresholds = JSON.parse(server) as number[]
    else if (kind === 'notified') stored.notifiedThresholds.push({ interval: server, limit: spent, percent: at })
    else stored.leases.push({ holder: server, period: rowPeriod, held, spent, renewedAt: at })
  }
  return stored
}
