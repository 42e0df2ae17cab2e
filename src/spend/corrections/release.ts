import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { appendEvents } from '#platform/db/event-log.ts'
import type { GenerationFilter } from '../ledger/list/generation-filter.ts'
import { listGenerations } from '../ledger/list/list-generations.ts'
import { findGeneration } from '../ledger/read-generations.ts'
import type { NewCharge } from './charged-row.ts'
import { type Correction, correctCharge } from './correct-charge.ts'
import { deleteCostLookups } from './cost-lookups.ts'

type ReleaseDeps = { db: Db; now: Now; newId: NewId }

/** One request, or all requests of a filter. */
type ReleaseScope = { id: string } | { filter: GenerationFilter }

type Released = { requests: number; amount: PicoUsd }

/** The number of requests in one transaction, which blocks other writers of SQLite. */
const requestsPerBatch = 100

/**
 * Releases the unconfirmed amounts of requests from the limits that were charged. Each amount is released once.
 * @throws Fault `not_found` for a request that the caller does not see.
 */
export async function releaseUnconfirmed(deps: ReleaseDeps, caller: Caller, scope: ReleaseScope): Promise<Released> {
  if ('id' in scope) {
    const { id } = await findGeneration(deps, caller, scope.id)
    return releaseAll(deps, caller, [id], scope)
  }
  const total: Released = { requests: 0, amount: 0n }
  for (let cursor: string | undefined; ; ) {
    const filter = { ...scope.filter, unconfirmed: true }
    const { data, nextCursor } = await listGenerations(deps, caller, filter, { limit: requestsPerBatch, cursor })
    const released = await releaseAll(
      deps,
      caller,
      data.map(({ id }) => id),
      scope,
    )
    total.requests += released.requests
    total.amount += released.amount
    if (nextCursor === undefined) return total
    cursor = nextCursor
  }
}

async function releaseAll(
  deps: ReleaseDeps,
  caller: Caller,
  ids: readonly string[],
  scope: ReleaseScope,
): Promise<Released> {
  if (ids.length === 0) return { requests: 0, amount: 0n }
  const { organizationId } = caller
  return deps.db.exclusively(`charges of ${organizationId}`, async (tx) => {
    const at = deps.now()
    const corrections: Correction[] = []
    // Sorted: two servers that lock the same charges in different orders would deadlock.
    for (const id of ids.toSorted()) {
      const correction = await correctCharge(deps.db, tx, id, (row) => releasedCharge(row, at))
      if (correction) corrections.push(correction)
    }
    const releasedIds = corrections.map(({ before }) => before.id)
    if (releasedIds.length === 0) return { requests: 0, amount: 0n }
    await deleteCostLookups(tx, releasedIds)
    const amount = corrections.reduce((sum, correction) => sum + correction.released, 0n)
    await recordChange(deps, tx, caller, {
      action: 'generation.released',
      targetKind: 'generation',
      targetId: 'id' in scope ? releasedIds[0]! : 'filter',
      before: {
        requests: releasedIds,
        unconfirmed_usd: toUsd(amount),
        filter: 'filter' in scope ? auditedFilter(scope) : undefined,
      },
      after: { unconfirmed_usd: 0 },
    })
    await appendEvents(tx, [{ at, organizationId, kind: 'generations', data: JSON.stringify(releasedIds) }])
    return { requests: releasedIds.length, amount }
  })
}

const releasedCharge = ({ cost }: { cost: PicoUsd }, at: number): NewCharge => ({
  cost,
  margin: 0n,
  correction: { source: 'released', at },
})

/** The filter without absent fields, for the audit log. JSON has no bigint. */
const auditedFilter = ({ filter }: { filter: GenerationFilter }) =>
  JSON.parse(JSON.stringify(filter, (_, value) => (typeof value === 'bigint' ? toUsd(value) : value)))
