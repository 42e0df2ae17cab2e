import { staleWhileRevalidate } from '#platform/async/stale-while-revalidate.ts'
import type { Db } from '#platform/db/db.ts'
import { type InternStatus, internStatuses } from './intern.ts'
import { countByStatus } from './interns-by-host.ts'

/** The number of interns in each state, on a host and without a host, cached. */
export function createInternCounts(deps: { db: Pick<Db, 'query'> }, host: string): () => Record<InternStatus, number> {
  return staleWhileRevalidate(countsOf(new Map()), async () => countsOf(await countByStatus(deps, host)))
}

function countsOf(counted: ReadonlyMap<InternStatus, number>): Record<InternStatus, number> {
  const counts = internStatuses.map((status) => [status, counted.get(status) ?? 0])
  return Object.fromEntries(counts) as Record<InternStatus, number>
}
