import { isoTime, type Now } from '#platform/core/clock.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import { databaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { chargedOf, unconfirmedOf } from '../ledger/read.ts'
import { type Budget, forecastFor, type LastingSubject, periodOf, resetsAt } from './budget.ts'
import { leasedOf } from './leases.ts'
import { ledgerSpending } from './past-spending.ts'
import { readLeases, readSpentOf } from './rows.ts'

export type LastingBudget = Budget & { subject: LastingSubject }

/**
 * The amounts of a budget in the current period, which add up with the rest to its limit. `spent` includes the money held
 * by servers that no longer report.
 */
export type Standing = {
  spent: PicoUsd
  /** Charged in addition, because no provider reported what it billed. */
  unconfirmed: PicoUsd
  held: PicoUsd
  forecast: PicoUsd | null
  resetsAt: number | null
}

type StandingDeps = { db: Pick<Db, 'kind' | 'query'>; now: Now }

/** The standing of each budget, in their order. */
export async function standingsOf(deps: StandingDeps, budgets: readonly LastingBudget[]): Promise<Standing[]> {
  if (budgets.length === 0) return []
  const { db, now } = deps
  const at = now()
  const ids = budgets.map(({ id }) => id)
  const [{ at: databaseAt, leases }, accounts] = await Promise.all([
    readLeases(db.query, databaseClock(db, now), ids),
    readSpentOf(db.query, ids),
  ])
  return Promise.all(
    budgets.map(async (budget) => {
      const period = periodOf(budget, at)
      const leased = leasedOf(budget, period, { at: databaseAt, leases: leases.get(budget.id) ?? [] })
      const counted = accounts.get(budget.id)?.get(period)
      const inLedger = await ledgerSpending(deps, budget, period)
      const charged = counted === undefined ? chargedOf(inLedger, budget.includesByok) : counted + leased.charged
      const margin = unconfirmedOf(inLedger, budget.includesByok)
      // The ledger and the account are read one after the other.
      const spent = charged > margin ? charged - margin : 0n
      return {
        spent,
        unconfirmed: charged - spent,
        held: leased.held + leased.silent,
        forecast: forecastFor(budget, charged, at),
        resetsAt: resetsAt(budget, at),
      }
    }),
  )
}

/** The amounts in USD, as answers have them. */
export function standingForm({ spent, unconfirmed, held, forecast, resetsAt: next }: Standing) {
  return {
    spent_usd: toUsd(spent),
    unconfirmed_usd: toUsd(unconfirmed),
    held_usd: toUsd(held),
    forecast_usd: forecast === null ? null : toUsd(forecast),
    resets_at: next === null ? null : isoTime(next),
  }
}
