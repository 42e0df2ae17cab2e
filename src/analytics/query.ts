import { setImmediate as breathe } from 'node:timers/promises'
import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import { Fault } from '#lib/fault.ts'
import { type Grain, grains, minuteMs, slotOf } from '#usage/rollups/cell.ts'
import { cellsOfPart, type MinuteCell } from '#usage/rollups/parts.ts'
import { minutesKeptMs } from '#usage/rollups/prune-cells.ts'
import { bucketStart, unitOf } from './buckets.ts'
import { type DimensionFilter, type DimensionName, dimensions, passes } from './dimensions.ts'
import { type Group, Groups } from './groups.ts'
import { type MetricName, metrics } from './metrics.ts'
import { type CellQuery, type CellRow, readCells } from './read-cells.ts'
import { readSumColumn, sumOfCell } from './sums.ts'
import { type Granularity, holds, type Tile, tilesOf } from './tiles.ts'

/** Who asks: everything of an organization, or the requests of one key. */
export type Scope = { organizationId: string; keyHash?: string; userId?: string }

export type AnalyticsQuery = {
  metrics: readonly MetricName[]
  dimensions: readonly DimensionName[]
  filters: readonly DimensionFilter[]
  granularity: Granularity | undefined
  /** In milliseconds since the epoch, `from` inclusive, `to` exclusive. */
  from: number
  to: number
}

type AnalyticsDeps = { db: Pick<Db, 'reports' | 'kind'>; now: Now; retentionDays: number }

/** More rows than anybody reads: whoever asks for them is told to ask for less. */
const mostGroups = 200_000

/** Between two of them, others have their turn. */
const rowsAtOnce = 1000

/** @returns a group for each bucket and combination of values of which there is something, and the time they are of. */
export async function queryAnalytics(
  deps: AnalyticsDeps,
  scope: Scope,
  query: AnalyticsQuery,
): Promise<{ groups: Group[]; from: number; to: number }> {
  const tiles = tilesIn(deps, query)
  const read = cellQuery(scope, query, tiles)
  const rows = await readCells(deps, read, mostGroups + 1)
  if (rows.length > mostGroups) throw tooMany()
  const groups = new Groups()
  for (let at = 0; at < rows.length; at++) {
    const { part } = rows[at]!
    if (part === null) addRow(groups, query.granularity, read, rows[at]!)
    else for (const cell of cellsOfPart(part)) addCell(groups, query.granularity, read, cell)
    if (at % rowsAtOnce === rowsAtOnce - 1) await breathe()
  }
  await countPercentiles(groups.all(), query.metrics)
  return { groups: groups.all(), ...timeOf(tiles, query) }
}

/** Here, where others have their turn in between; whoever asks for them afterwards has them at once. */
async function countPercentiles(groups: readonly Group[], asked: readonly MetricName[]): Promise<void> {
  const percentiles = asked.map((name) => metrics[name]).filter(({ sketches }) => sketches.length > 0)
  if (percentiles.length === 0) return
  for (const [at, group] of groups.entries()) {
    for (const metric of percentiles) metric.of(group)
    if (at % rowsAtOnce === rowsAtOnce - 1) await breathe()
  }
}

/** Cells that are not kept any more are not looked for; what a long slot has of them counts whole. */
function tilesIn({ now, retentionDays }: AnalyticsDeps, { from, to, granularity }: AnalyticsQuery): Tile[] {
  const keptSince: Record<number, number> = {
    [grains.minute]: now() - minutesKeptMs,
    [grains.hour]: now() - retentionDays * 86_400_000,
  }
  const isKept = (grain: Grain, minute: number) => minute * minuteMs >= (keptSince[grain] ?? 0)
  const time = { from: Math.floor(from / minuteMs), to: Math.ceil(to / minuteMs) }
  return tilesOf(time, granularity, isKept)
}

function timeOf(tiles: readonly Tile[], { from, to }: AnalyticsQuery): { from: number; to: number } {
  const [first, last] = [tiles[0], tiles.at(-1)]
  if (!first || !last) return { from, to }
  return { from: first.from * first.grain * minuteMs, to: last.to * last.grain * minuteMs }
}

function cellQuery(
  { organizationId, keyHash, userId }: Scope,
  { metrics: asked, dimensions: by, filters, granularity }: AnalyticsQuery,
  tiles: Tile[],
): CellQuery {
  const own = [...only('key_hash', keyHash), ...only('user_id', userId)]
  const all = [...own, ...filters]
  const columns = by.map((name) => dimensions[name].column)
  const isOfKeys = [...columns, ...all.map(({ column }) => column)].some(
    (column) => column === 'key_hash' || column === 'user_id',
  )
  const wanted = asked.map((name) => metrics[name])
  return {
    organizationId,
    table: isOfKeys ? 'key_cells' : 'workspace_cells',
    tiles,
    filters: all,
    unit: unitOf(granularity),
    columns,
    sums: [...new Set(wanted.flatMap(({ sums }) => sums))],
    sketches: [...new Set(wanted.flatMap(({ sketches }) => sketches))],
  }
}

function only(column: DimensionFilter['column'], value: string | undefined): DimensionFilter[] {
  return value === undefined ? [] : [{ column, values: [value], isNegated: false, includesUnset: false }]
}

function addRow(groups: Groups, granularity: Granularity | undefined, read: CellQuery, row: CellRow): void {
  const start = granularity ? bucketStart(granularity, Number(row.bucket)) : 0
  const group = groups.at(
    start,
    read.columns.map((_, at) => row[`c${at}`]!),
  )
  for (let at = 0; at < read.sums.length; at++) {
    const name = read.sums[at]!
    group.add(name, readSumColumn(name, row[`s${at}`]!))
  }
  for (let at = 0; at < read.sketches.length; at++) {
    const texts = row[`k${at}`]
    if (texts) group.merge(read.sketches[at]!, texts)
  }
}

function addCell(groups: Groups, granularity: Granularity | undefined, read: CellQuery, cell: MinuteCell): void {
  const { dimensions: values, minute } = cell
  if (values.organization_id !== read.organizationId) return
  if (!read.tiles.some((tile) => holds(tile, minute))) return
  if (!read.filters.every((filter) => passes(filter, values[filter.column]))) return
  const start = granularity ? bucketStart(granularity, slotOf(minute, read.unit!)) : 0
  const group = groups.at(
    start,
    read.columns.map((column) => values[column]),
  )
  for (const name of read.sums) group.add(name, sumOfCell(name, cell))
  for (const name of read.sketches) {
    const sketch = cell.sketches[name]
    if (sketch.count > 0) group.merge(name, sketch.toText())
  }
}

const tooMany = () =>
  new Fault(
    'invalid',
    `Invalid request: it asks for more than ${mostGroups} rows: ask for a shorter time_range, a longer granularity, fewer dimensions, or filter`,
  )
