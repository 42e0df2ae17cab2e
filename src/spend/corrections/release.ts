import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { appendEvents } from '#platform/db/event-log.ts'
import type { GenerationFilter } from '../ledger/list/generation-filter.ts'
import { listGenerations } from '../ledger/list/list-generations.ts'
import { findGeneration } from '../ledger/read-generations.ts'
import { findUnconfirmedCharge } from './charged-row.ts'
import { correctCharges } from './correct-charge.ts'
import { deleteCostLookups } from './cost-lookups.ts'
import type { Correction } from './sum-correction.ts'

type ReleaseDeps = { db: Db; now: Now; newId: NewId }

type ReleasedTotal = { requests: number; amount: PicoUsd }

/** The number of requests in one transaction, which blocks other writers of SQLite. */
const requestsPerBatch = 100

/**
 * Releases the unconfirmed amount of a request from the limits that were charged. An amount is released once.
 * @throws Fault `not_found` for a request that the caller does not see.
 */
export async function releaseUnconfirmed(deps: ReleaseDeps, caller: Caller, id: string): Promise<ReleasedTotal> {
  const generation = await findGeneration(deps, caller, id)
  return releaseBatch(deps, caller, [generation.id], undefined)
}

/** Releases the unconfirmed amounts of all requests that match a filter. */
export async function releaseMatching(
  deps: ReleaseDeps,
  caller: Caller,
  filter: GenerationFilter,
): Promise<ReleasedTotal> {
  const total: ReleasedTotal = { requests: 0, amount: 0n }
  let cursor: string | undefined
  do {
    const page = { limit: requestsPerBatch, cursor }
    const { data, nextCursor } = await listGenerations(deps, caller, { ...filter, unconfirmed: true }, page)
    const ids = data.map(({ id }) => id)
    const released = await releaseBatch(deps, caller, ids, filter)
    total.requests += released.requests
    total.amount += released.amount
    cursor = nextCursor
  } while (cursor !== undefined)
  return total
}

/** @param filter the filter that selected the requests, for the audit log. */
async function releaseBatch(
  deps: ReleaseDeps,
  caller: Caller,
  ids: readonly string[],
  filter: GenerationFilter | undefined,
): Promise<ReleasedTotal> {
  const { organizationId } = caller
  const nothingReleased = { requests: 0, amount: 0n }
  if (ids.length === 0) return nothingReleased
  return deps.db.exclusively(`charges of ${organizationId}`, async (tx) => {
    const at = deps.now()
    const released = await releaseCharges(deps.db, tx, ids, at)
    const releasedIds = [...released.keys()]
    const [firstId] = releasedIds
    if (firstId === undefined) return nothingReleased
    await deleteCostLookups(tx, releasedIds)
    const amount = [...released.values()].reduce((sum, each) => sum + each, 0n)
    await recordChange(deps, tx, caller, {
      action: 'generation.released',
      targetKind: 'generation',
      targetId: filter ? 'filter' : firstId,
      before: {
        requests: releasedIds,
        unconfirmed_usd: toUsd(amount),
        filter: filter && toAuditedFilter(filter),
      },
      after: { unconfirmed_usd: 0 },
    })
    await appendEvents(tx, [{ at, organizationId, kind: 'generations', data: JSON.stringify(releasedIds) }])
    return { requests: releasedIds.length, amount }
  })
}

/** Returns the released amount of each request that had one. */
async function releaseCharges(db: Db, tx: Tx, ids: readonly string[], at: number): Promise<Map<string, PicoUsd>> {
  const corrections: Correction[] = []
  // Sorted: two servers that lock the same charges in different orders would deadlock.
  for (const id of ids.toSorted()) {
    const before = await findUnconfirmedCharge(tx, id)
    if (!before) continue
    corrections.push({ before, after: { cost: before.cost, margin: 0n, correction: { source: 'released', at } } })
  }
  return correctCharges(db, tx, corrections)
}

/** The filter without absent fields, for the audit log. JSON has no bigint. */
const toAuditedFilter = (filter: GenerationFilter) =>
  JSON.parse(JSON.stringify(filter, (_, value) => (typeof value === 'bigint' ? toUsd(value) : value)))
