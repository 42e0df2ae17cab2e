import type { Db } from '#db/db.ts'
import { type InternStatus, internStatuses } from './intern.ts'
import { countByStatus } from './store.ts'

const freshForMs = 5000

/**
 * How many interns of a host are in each state, as of some seconds ago. Asking does not wait for the database: what was
 * known last is told, and read anew for who asks next.
 */
export function createInternCounts(deps: { db: Pick<Db, 'query'> }, host: string): () => Record<InternStatus, number> {
  let known = Object.fromEntries(internStatuses.map((status) => [status, 0])) as Record<InternStatus, number>
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking = false

  async function look(): Promise<void> {
    looking = true
    try {
      const counted = await countByStatus(deps, host)
      const all = internStatuses.map((status) => [status, counted.get(status) ?? 0])
      known = Object.fromEntries(all)
      lookedAt = performance.now()
    } catch {
      // The database is away, which others tell of.
    } finally {
      looking = false
    }
  }
  return () => {
    if (!looking && performance.now() - lookedAt > freshForMs) void look()
    return known
  }
}
