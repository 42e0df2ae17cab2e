import type { Db } from '#db/db.ts'
import { type InternStatus, internStatuses } from './intern.ts'
import { countByStatus } from './store.ts'

const freshForMs = 5000

/**
 * The number of interns of a host in each state, at most some seconds old. A call does not wait for the database: it
 * gets the last counts, and starts a new read for the next call.
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
