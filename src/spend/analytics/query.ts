import { dayMs, minuteMs, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { type Grain, grains } from '../rollups/cell.ts'
import { minuteRetentionMs } from '../rollups/prune-cells.ts'
import { slotMinutesOf } from './buckets.ts'
import type { CellQuery } from './cell-query.ts'
import { type DimensionFilter, type DimensionName, dimensions } from './dimensions.ts'
import { Group } from './group.ts'
import { type MetricName, metrics } from './metrics.ts'
import { readCells } from './read-cells.ts'
import { coverTime, type Granularity, type SlotRange } from './slot-ranges.ts'
import { assignTables } from './tables.ts'

/** Selects the requests to count: all of an organization, or only those of one workspace, key or member. */
export type Scope = { organizationId: string; workspaceId?: string; keyHash?: string; userId?: string }

export type AnalyticsQuery = {
  metrics: readonly MetricName[]
  dimensions: readonly DimensionName[]
  filters: readonly DimensionFilter[]
  granularity: Granularity | undefined
  /** Times in milliseconds since the epoch, `from` inclusive, `to` exclusive. */
  from: number
  to: number
}

type AnalyticsDeps = { db: Pick<Db, 'reportQuery' | 'kind'>; now: Now; retentionDays: number }

/** The maximum number of groups. A query with more groups fails. */
export const maxGroups = 200_000

/**
 * Reads the sums and percentiles of requests from the roll-ups.
 * @param signal aborts the query when the client disconnects.
 * @returns a group for each bucket and combination of values with data, and the covered time.
 */
export async function queryAnalytics(
  deps: AnalyticsDeps,
  scope: Scope,
  query: AnalyticsQuery,
  signal?: AbortSignal,
): Promise<{ groups: Group[]; from: number; to: number }> {
  const slotRanges = findStoredRanges(deps, query)
  const cells = await createCellQuery(deps, scope, query, slotRanges)
  const folded = await readCells(deps, cells, signal)
  if (!folded) throw tooManyGroupsFault()
  const groups = Array.from(folded.starts, (_, index) => new Group(cells, folded, index))
  return { groups, ...timeOfRanges(slotRanges, query) }
}

/** Returns the ranges of slots that cover the time of the query, without pruned cells. */
function findStoredRanges(
  { now, retentionDays }: AnalyticsDeps,
  { from, to, granularity }: AnalyticsQuery,
): SlotRange[] {
  // Cells of days are stored forever.
  const firstStoredMs: Record<number, number> = {
    [grains.minute]: now() - minuteRetentionMs,
    [grains.hour]: now() - retentionDays * dayMs,
  }
  const isStored = (grain: Grain, minute: number) => minute * minuteMs >= (firstStoredMs[grain] ?? 0)
  const time = { from: Math.floor(from / minuteMs), to: Math.ceil(to / minuteMs) }
  return coverTime(time, granularity, isStored)
}

function timeOfRanges(slotRanges: readonly SlotRange[], { from, to }: AnalyticsQuery): { from: number; to: number } {
  const first = slotRanges[0]
  const last = slotRanges.at(-1)
  if (!first || !last) return { from, to }
  return { from: first.from * first.grain * minuteMs, to: last.to * last.grain * minuteMs }
}

async function createCellQuery(
  deps: Pick<AnalyticsDeps, 'db'>,
  { organizationId, workspaceId, keyHash, userId }: Scope,
  { metrics: metricNames, dimensions: dimensionNames, filters, granularity }: AnalyticsQuery,
  slotRanges: SlotRange[],
): Promise<CellQuery> {
  const allFilters = [...filters]
  if (workspaceId !== undefined) allFilters.push(equals('workspace_id', workspaceId))
  if (keyHash !== undefined) allFilters.push(equals('key_hash', keyHash))
  if (userId !== undefined) allFilters.push(equals('user_id', userId))
  const columns = dimensionNames.map((name) => dimensions[name].column)
  const requestedMetrics = metricNames.map((name) => metrics[name])
  return {
    organizationId,
    slotRanges: await assignTables(deps, slotRanges, [...columns, ...allFilters.map(({ column }) => column)]),
    filters: allFilters,
    granularity,
    slotMinutes: slotMinutesOf(granularity),
    columns,
    sums: [...new Set(requestedMetrics.flatMap(({ sums }) => sums))],
    sketches: [...new Set(requestedMetrics.flatMap(({ sketches }) => sketches))],
    maxGroups,
  }
}

const equals = (column: DimensionFilter['column'], value: string): DimensionFilter => ({
  column,
  values: [value],
  isNegated: false,
  includesUnset: false,
})

const tooManyGroupsFault = () =>
  new Fault(
    'invalid',
    `Invalid request: the result has more than ${maxGroups} rows: use a shorter time_range, a longer granularity, fewer dimensions, or filters`,
  )
