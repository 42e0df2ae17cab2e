import type { Now } from '#platform/core/clock.ts'
import { clampToColumn } from '#platform/core/pico-usd.ts'
import { type Db, isRejectedWrite, isUniqueViolation } from '#platform/db/db.ts'
import type { NewEvent } from '#platform/db/event.ts'
import { toEventInsertion } from '#platform/db/event-log.ts'
import { type ColumnValue, insertAll } from '#platform/db/rows/insert-rows.ts'
import { rolledUp } from '#platform/db/tables/ledger-tables.ts'
import type { Tables } from '#platform/db/tables.ts'
import { createLookupInsertions } from '../corrections/cost-lookups.ts'
import { createOverbilledInsertions } from '../corrections/overbilled-endpoints.ts'
import type { Generation } from '../ledger/generation.ts'
import { modelOf, toStoredText } from '../ledger/record.ts'
import { createTagInsertions } from '../ledger/request-tags.ts'
import { DailyUsage } from '../ledger/sums/daily-usage.ts'
import { createBatchInsertion, MinuteCells } from '../rollups/batches.ts'
import { toRequestFacts } from '../rollups/request-facts.ts'

type WriteDeps = {
  db: Db
  now?: Now
  /** Yields to requests while a batch is prepared. */
  pause?: () => Promise<void> | undefined
}

/**
 * Writes requests, roll-ups and daily sums in one transaction. Skips rows that an earlier attempt wrote although its response
 * was lost.
 */
export async function writeGenerations(deps: WriteDeps, generations: Generation[]): Promise<void> {
  try {
    await insertGenerations(deps, generations)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    const existingIds = await readExistingIds(deps.db, generations)
    await insertGenerations(
      deps,
      generations.filter(({ id }) => !existingIds.has(id)),
    )
  }
}

/** A request that the database rejects, with the reason. */
export type RejectedGeneration = { generation: Generation; error: unknown }

/**
 * Writes all requests except those that the database rejects. Bisects the batch to find them, so that one bad row does not
 * block others. @throws transient errors, such as an unreachable database.
 */
export async function writeAcceptable(deps: WriteDeps, generations: Generation[]): Promise<RejectedGeneration[]> {
  try {
    await writeGenerations(deps, generations)
    return []
  } catch (error) {
    if (!isRejectedWrite(error)) throw error
    const [generation] = generations
    if (generation && generations.length === 1) return [{ generation, error }]
    const middle = generations.length >> 1
    const before = await writeAcceptable(deps, generations.slice(0, middle))
    return [...before, ...(await writeAcceptable(deps, generations.slice(middle)))]
  }
}

/** The number of requests that are prepared between two pauses, which takes less than a millisecond. */
const rowsPerPause = 100

async function insertGenerations({ db, now = Date.now, pause }: WriteDeps, generations: Generation[]): Promise<void> {
  const rows: ColumnValue[][] = []
  const cells = new MinuteCells()
  const sums = new DailyUsage()
  for (const generation of generations) {
    if (rows.length > 0 && rows.length % rowsPerPause === 0) await pause?.()
    rows.push(toRow(generation))
    cells.add(toRequestFacts(generation))
    sums.add(generation)
  }
  await insertAll(db, [
    { table: 'generations', columns, rows },
    // The id of the first request makes a repeated write of this batch fail.
    createBatchInsertion(generations[0]?.id ?? '', cells.all()),
    ...sums.toInsertions(),
    ...createTagInsertions(generations),
    ...createLookupInsertions(generations),
    ...createOverbilledInsertions(generations),
    toEventInsertion(toEvents(generations, now())),
  ])
}

/** Returns the events for new ledger rows: one for each organization, with the ids in order. */
function toEvents(generations: readonly Generation[], at: number): NewEvent[] {
  const byOrganization = new Map<string, string[]>()
  for (const { id, caller } of generations) {
    const ids = byOrganization.get(caller.organizationId)
    if (ids) ids.push(id)
    else byOrganization.set(caller.organizationId, [id])
  }
  return [...byOrganization].map(([organizationId, ids]) => ({
    at,
    organizationId,
    kind: 'generations',
    data: JSON.stringify(ids),
  }))
}

async function readExistingIds({ query }: Db, generations: Generation[]): Promise<Set<string>> {
  const ids = generations.map(({ id }) => id)
  const rows = await query.selectFrom('generations').where('id', 'in', ids).select('id').execute()
  return new Set(rows.map(({ id }) => id))
}

const columns = {
  id: 'text',
  created_at: 'bigint',
  organization_id: 'text',
  workspace_id: 'text',
  key_hash: 'text',
  user_id: 'text',
  session_id: 'text',
  upstream_id: 'text',
  model: 'text',
  cost_pico: 'bigint',
  margin_pico: 'bigint',
  record: 'text',
  outcome: 'text',
  provider: 'text',
  preset: 'text',
  error: 'text',
  guardrails: 'text',
  streamed: 'bigint',
  latency_ms: 'bigint',
  duration_ms: 'bigint',
  rolled_up: 'bigint',
} as const satisfies Record<keyof Tables['generations'], 'text' | 'bigint'>

const columnNames = Object.keys(columns) as (keyof typeof columns)[]

function toRow(generation: Generation): ColumnValue[] {
  const { caller } = generation
  const row: Record<keyof typeof columns, ColumnValue> = {
    id: generation.id,
    created_at: generation.createdAt,
    organization_id: caller.organizationId,
    workspace_id: caller.workspaceId,
    key_hash: caller.keyHash,
    user_id: caller.userId,
    session_id: generation.sessionId ?? null,
    upstream_id: generation.upstreamId ?? null,
    model: modelOf(generation),
    cost_pico: String(clampToColumn(generation.cost)),
    margin_pico: String(clampToColumn(generation.margin)),
    record: toStoredText(generation),
    outcome: generation.outcome,
    provider: generation.provider ?? null,
    preset: generation.preset?.slug ?? null,
    error: generation.cause?.kind ?? null,
    guardrails: toGuardrailList(generation),
    streamed: generation.streamed ? 1 : 0,
    latency_ms: generation.latencyMs === undefined ? null : Math.round(generation.latencyMs),
    duration_ms: Math.round(generation.durationMs),
    rolled_up: rolledUp.withMargin,
  }
  return columnNames.map((name) => row[name])
}

/** The guardrails that refused the request or have findings. */
function toGuardrailList({ cause, contentFindings }: Generation): string | null {
  if (!cause?.guardrailId && !contentFindings?.length) return null
  const guardrailIds = new Set(contentFindings?.map(({ guardrailId }) => guardrailId))
  if (cause?.guardrailId) guardrailIds.add(cause.guardrailId)
  return [...guardrailIds].join(',')
}
