import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import type { BudgetReserver } from './budgets.ts'

/**
 * Budgets that refuse reservations while the database is unreachable, even if this server has leased money.
 * @param allowStale is true while the database is unreachable and cached keys are still valid (`stale_keys_ms`). Without valid keys,
 * no request arrives here, so a false needs no refusal.
 */
export function refuseWhileUnreachable(budgets: BudgetReserver, allowStale: AllowStale): BudgetReserver {
  return {
    async reserve(requested, need) {
      if (await allowStale()) throw new Error('The database is unreachable, and stale_limits is "refuse".')
      return budgets.reserve(requested, need)
    },
    openReservation: (budget) => budgets.openReservation(budget),
  }
}
