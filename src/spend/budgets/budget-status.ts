import { isoTime, type Now } from '#platform/core/clock.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { predictSpending } from '../ledger/spending/forecast.ts'
import { chargedOf, unconfirmedOf } from '../ledger/spending/read-spending.ts'
import { type Budget, type LastingSubject, periodOf, resetsAt } from './budget.ts'
import { sumLeases } from './leases/leases.ts'
import { readLedgerSpending } from './past-spending.ts'
import { readLeases } from './rows/lease-rows.ts'
import { readSpendingOfAccounts } from './rows/spending-rows.ts'

/** Any budget except that of an intern's turn or session. */
export type LastingBudget = Budget & { subject: LastingSubject }

/**
 * The amounts of a budget in the current period. `spent` includes the money leased by servers that no longer report.
 */
export type BudgetStatus = {
  spent: PicoUsd
  /** Charged in addition to `spent`, because no provider reported the billed amount. */
  unconfirmed: PicoUsd
  /** Reserved for requests in flight, or available for later ones. */
  held: PicoUsd
  forecast: PicoUsd | null
  resetsAt: number | null
}

type StatusDeps = { db: Pick<Db, 'kind' | 'query'>; now: Now }

/** Reads the status of each budget, in the same order. */
export async function readBudgetStatuses(deps: StatusDeps, budgets: readonly LastingBudget[]): Promise<BudgetStatus[]> {
  if (budgets.length === 0) return []
  const { db, now } = deps
  const at = now()
  const ids = budgets.map(({ id }) => id)
  const [{ at: databaseAt, leases }, accounts] = await Promise.all([
    readLeases(db.query, createDatabaseClock(db, now), ids),
    readSpendingOfAccounts(db.query, ids),
  ])
  return Promise.all(
    budgets.map(async (budget) => {
      const period = periodOf(budget, at)
      const leased = sumLeases(budget, period, { at: databaseAt, leases: leases.get(budget.id) ?? [] })
      const counted = accounts.get(budget.id)?.get(period)
      const ledgerSums = await readLedgerSpending(deps, budget, period)
      const charged = counted === undefined ? chargedOf(ledgerSums, budget.includesByok) : counted + leased.charged
      const margin = unconfirmedOf(ledgerSums, budget.includesByok)
      // The ledger can have newer requests than the account, because they are not read in one transaction.
      const spent = charged > margin ? charged - margin : 0n
      return {
        spent,
        unconfirmed: charged - spent,
        held: leased.held + leased.unresponsive,
        forecast: predictSpending(budget.interval, charged, at),
        resetsAt: resetsAt(budget, at),
      }
    }),
  )
}

/** The fields of an answer, with amounts in USD. */
export function statusFields({ spent, unconfirmed, held, forecast, resetsAt: resetTime }: BudgetStatus) {
  return {
    spent_usd: toUsd(spent),
    unconfirmed_usd: toUsd(unconfirmed),
    held_usd: toUsd(held),
    forecast_usd: forecast === null ? null : toUsd(forecast),
    resets_at: resetTime === null ? null : isoTime(resetTime),
  }
}
