import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import type { Budgets } from './budgets.ts'

/**
 * Budgets that refuse reservations while the database is unreachable, even if this server has leased money.
 * @param allowStale true only while the database is unreachable. If it is false then too, no key is valid, so nothing is reserved.
 */
export function refuseWhileUnreachable(
  budgets: Pick<Budgets, 'reserve'>,
  allowStale: AllowStale,
): Pick<Budgets, 'reserve'> {
  return {
    async reserve(requested, need) {
      if (await allowStale()) throw new Error('The database is unreachable, and stale_limits is "refuse".')
      return budgets.reserve(requested, need)
    },
  }
}
