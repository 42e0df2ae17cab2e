import { isoTime, type Now } from '#platform/core/clock.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import { databaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { type Budget, forecastFor, type LastingSubject, periodOf, resetsAt } from './budget.ts'
import { leasedOf } from './leases.ts'
import { spentBefore } from './past-spending.ts'
import { readLeases, readSpentOf } from './rows.ts'

export type LastingBudget = Budget & { subject: LastingSubject }

/** The amounts of a budget in the current period. `spent` includes the money held by servers that no longer report. */
export type Standing = { spent: PicoUsd; held: PicoUsd; forecast: PicoUsd | null; resetsAt: number | null }

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
      const spent = counted === undefined ? await spentBefore(deps, budget, period) : counted + leased.charged
      return {
        spent,
        held: leased.held + leased.silent,
        forecast: forecastFor(budget, spent, at),
        resetsAt: resetsAt(budget, at),
      }
    }),
  )
}

/** The amounts in USD, as answers have them. */
export function standingForm({ spent, held, forecast, resetsAt: next }: Standing) {
  return {
    spent_usd: toUsd(spent),
    held_usd: toUsd(held),
    forecast_usd: forecast === null ? null : toUsd(forecast),
    resets_at: next === null ? null : isoTime(next),
  }
}
