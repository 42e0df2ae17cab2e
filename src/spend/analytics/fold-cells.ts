import type { Fold, RowReducer } from '#platform/db/rows/fold.ts'
import { Sketch, writeQuantiles } from '#platform/metrics/sketch.ts'
import { slotOf } from '../rollups/cell.ts'
import { cellsOfPart, type MinuteCell } from '../rollups/parts.ts'
import { bucketStart } from './buckets.ts'
import type { CellQuery } from './cell-query.ts'
import { matchesFilter } from './dimensions.ts'
import { type FoldedGroups, quantileLevels } from './group.ts'
import { readSumColumn, sumOfCell } from './sums.ts'
import { containsMinute } from './tiles.ts'

/** Groups of cells, and of parts that are not merged yet. This module is also loaded by the thread of the embedded database. */
export const fold: Fold<CellQuery, FoldedGroups | undefined> = {
  module: import.meta.url,
  createReducer: (query) => new CellFold(query),
}

/** The length from which joined texts of sketches are merged, to save memory. A single sketch is shorter. */
const maxJoinedLength = 20_000

/** The number of groups per step of `finish`. Other work can run between two steps. */
const groupsPerStep = 1000

/** Folds the rows of a query of cells. */
class CellFold implements RowReducer<FoldedGroups | undefined> {
  readonly #query: CellQuery
  /** The index of each group, by bucket and values. */
  readonly #groupIndexes = new Map<number, Map<string, number>>()
  readonly #starts: number[] = []
  /** The values by column, sum and sketch, and then by group. */
  readonly #values: string[][]
  readonly #sums: bigint[][]
  readonly #texts: string[][]
  /** The bucket of the last row, cached because the next row usually has the same bucket. */
  #bucket: number | undefined
  #start = 0
  #groupsOfBucket = new Map<string, number>()

  constructor(query: CellQuery) {
    this.#query = query
    this.#values = query.columns.map(() => [])
    this.#sums = query.sums.map(() => [])
    this.#texts = query.sketches.map(() => [])
  }

  add(row: readonly unknown[]): boolean {
    const [part] = row
    if (part === null) this.#addRow(row)
    else for (const cell of cellsOfPart(part as string)) this.#addCell(cell)
    return this.#starts.length <= this.#query.maxGroups
  }

  *finish(): Generator<undefined, FoldedGroups | undefined> {
    const count = this.#starts.length
    if (count > this.#query.maxGroups) return undefined
    const quantiles = this.#texts.map(() => new Float64Array(count * quantileLevels.length))
    for (let at = 0; at < count; at++) {
      for (let sketch = 0; sketch < quantiles.length; sketch++)
        writeQuantiles(this.#texts[sketch]![at]!, quantileLevels, quantiles[sketch]!, at * quantileLevels.length)
      if (at % groupsPerStep === groupsPerStep - 1) yield
    }
    return { starts: Float64Array.from(this.#starts), values: this.#values, sums: this.#sums.map(compact), quantiles }
  }

  #addRow(row: readonly unknown[]): void {
    const { columns, sums, sketches } = this.#query
    const group = this.#groupAt(Number(row[1]), row.slice(2, 2 + columns.length) as string[])
    let next = 2 + columns.length
    for (let at = 0; at < sums.length; at++) this.#sums[at]![group]! += readSumColumn(sums[at]!, row[next++])
    for (let at = 0; at < sketches.length; at++) this.#merge(at, group, row[next++] as string | null)
  }

  #addCell(cell: MinuteCell): void {
    const { dimensions, minute } = cell
    const { organizationId, tiles, filters, unit, columns, sums, sketches } = this.#query
    if (dimensions.organization_id !== organizationId) return
    if (!tiles.some((tile) => containsMinute(tile, minute))) return
    if (!filters.every((filter) => matchesFilter(filter, dimensions[filter.column]))) return
    const group = this.#groupAt(
      unit === undefined ? 0 : slotOf(minute, unit),
      columns.map((column) => dimensions[column]),
    )
    for (const [at, name] of sums.entries()) this.#sums[at]![group]! += sumOfCell(name, cell)
    for (const [at, name] of sketches.entries()) this.#merge(at, group, cell.sketches[name].toText())
  }

  #groupAt(bucket: number, values: readonly string[]): number {
    if (bucket !== this.#bucket) this.#selectBucket(bucket)
    // Values are names of this service or the catalogue, without line breaks.
    const id = values.length === 1 ? values[0]! : values.join('\n')
    const existing = this.#groupsOfBucket.get(id)
    if (existing !== undefined) return existing
    const group = this.#starts.push(this.#start) - 1
    this.#groupsOfBucket.set(id, group)
    for (const [at, all] of this.#values.entries()) all.push(values[at]!)
    for (const all of this.#sums) all.push(0n)
    for (const all of this.#texts) all.push('')
    return group
  }

  #selectBucket(bucket: number): void {
    const { granularity } = this.#query
    this.#bucket = bucket
    this.#start = granularity ? bucketStart(granularity, bucket) : 0
    this.#groupsOfBucket = this.#groupIndexes.getOrInsertComputed(this.#start, () => new Map())
  }

  #merge(sketch: number, group: number, text: string | null): void {
    if (!text) return
    const texts = this.#texts[sketch]!
    const existingText = texts[group]!
    const joined = existingText === '' ? text : `${existingText} ${text}`
    texts[group] = joined.length > maxJoinedLength ? Sketch.fromText(joined).toText() : joined
  }
}

/** Converts sums to numbers if that is exact, because numbers are the cheapest to send between threads. */
function compact(sums: bigint[]): Float64Array | bigint[] {
  const numbers = new Float64Array(sums.length)
  for (let at = 0; at < sums.length; at++) {
    const number = Number(sums[at]!)
    if (!Number.isSafeInteger(number)) return sums
    numbers[at] = number
  }
  return numbers
}
