import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { type Grain, grains, minuteMs } from '../rollups/cell.ts'
import { minuteRetentionMs } from '../rollups/prune-cells.ts'
import { unitOf } from './buckets.ts'
import type { CellQuery } from './cell-query.ts'
import { type DimensionFilter, type DimensionName, dimensions } from './dimensions.ts'
import { Group } from './group.ts'
import { type MetricName, metrics } from './metrics.ts'
import { readCells } from './read-cells.ts'
import { tablesOf } from './tables.ts'
import { type Granularity, type Tile, tilesOf } from './tiles.ts'

/** The requests to count: those of an organization, and of them those of one workspace, key or member. */
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

type AnalyticsDeps = { db: Pick<Db, 'reports' | 'kind'>; now: Now; retentionDays: number }

/** The maximum number of groups. More are an error. */
const mostGroups = 200_000

/**
 * @param signal aborts the query when the client disconnects.
 * @returns a group for each bucket and combination of values with data, and the covered time.
 */
export async function queryAnalytics(
  deps: AnalyticsDeps,
  scope: Scope,
  query: AnalyticsQuery,
  signal?: AbortSignal,
): Promise<{ groups: Group[]; from: number; to: number }> {
  const tiles = tilesIn(deps, query)
  const read = await cellQuery(deps, scope, query, tiles)
  const folded = await readCells(deps, read, signal)
  if (!folded) throw tooMany()
  const groups = Array.from(folded.starts, (_, at) => new Group(read, folded, at))
  return { groups, ...timeOf(tiles, query) }
}

/** Skips cells that were pruned. A long slot that overlaps them counts whole. */
function tilesIn({ now, retentionDays }: AnalyticsDeps, { from, to, granularity }: AnalyticsQuery): Tile[] {
  const firstStoredMs: Record<number, number> = {
    [grains.minute]: now() - minuteRetentionMs,
    [grains.hour]: now() - retentionDays * 86_400_000,
  }
  const isStored = (grain: Grain, minute: number) => minute * minuteMs >= (firstStoredMs[grain] ?? 0)
  const time = { from: Math.floor(from / minuteMs), to: Math.ceil(to / minuteMs) }
  return tilesOf(time, granularity, isStored)
}

function timeOf(tiles: readonly Tile[], { from, to }: AnalyticsQuery): { from: number; to: number } {
  const [first, last] = [tiles[0], tiles.at(-1)]
  if (!first || !last) return { from, to }
  return { from: first.from * first.grain * minuteMs, to: last.to * last.grain * minuteMs }
}

async function cellQuery(
  deps: Pick<AnalyticsDeps, 'db'>,
  { organizationId, workspaceId, keyHash, userId }: Scope,
  { metrics: metricNames, dimensions: by, filters, granularity }: AnalyticsQuery,
  tiles: Tile[],
): Promise<CellQuery> {
  const own = [...only('workspace_id', workspaceId), ...only('key_hash', keyHash), ...only('user_id', userId)]
  const all = [...own, ...filters]
  const columns = by.map((name) => dimensions[name].column)
  const requested = metricNames.map((name) => metrics[name])
  return {
    organizationId,
    tiles: await tablesOf(deps, tiles, [...columns, ...all.map(({ column }) => column)]),
    filters: all,
    granularity,
    unit: unitOf(granularity),
    columns,
    sums: [...new Set(requested.flatMap(({ sums }) => sums))],
    sketches: [...new Set(requested.flatMap(({ sketches }) => sketches))],
    mostGroups,
  }
}

function only(column: DimensionFilter['column'], value: string | undefined): DimensionFilter[] {
  return value === undefined ? [] : [{ column, values: [value], isNegated: false, includesUnset: false }]
}

const tooMany = () =>
  new Fault(
    'invalid',
    `Invalid request: the result has more than ${mostGroups} rows: use a shorter time_range, a longer granularity, fewer dimensions, or filters`,
  )
