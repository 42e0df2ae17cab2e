import type { AllowStale } from '#platform/db/rows/stale-reads.ts'
import type { Budgets } from './budgets.ts'

/**
 * Budgets that set nothing aside while what is known is only trusted because the database is away, also of what this
 * server holds by a lease.
 */
export function failClosed(budgets: Pick<Budgets, 'reserve'>, isAway: AllowStale): Pick<Budgets, 'reserve'> {
  return {
    reserve(wanted, need) {
      const away = isAway()
      if (away === false) return budgets.reserve(wanted, need)
      return Promise.resolve(away).then((gone) => {
        if (gone) throw new Error('The database is away, and stale_limits is "refuse".')
        return budgets.reserve(wanted, need)
      })
    },
  }
}
