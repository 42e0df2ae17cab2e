import type { Fold, RowReducer } from '#platform/db/rows/fold.ts'
import { Sketch, writeQuantiles } from '#platform/metrics/sketch.ts'
import { type MinuteCell, parseBatch } from '../rollups/batches.ts'
import { toSlot } from '../rollups/cell.ts'
import { bucketStart } from './buckets.ts'
import type { CellQuery } from './cell-query.ts'
import { matchesFilter } from './dimensions.ts'
import { type GroupColumns, quantileLevels } from './group.ts'
import { containsMinute } from './slot-ranges.ts'
import { readSumColumn, sumOfCell } from './sums.ts'

/**
 * Aggregates the rows of `readCells` into groups. A row has a cell of a roll-up, or a pending batch of cells (docs/glossary.md). The
 * thread of the embedded database also loads this module.
 */
export const fold: Fold<CellQuery, GroupColumns | undefined> = {
  module: import.meta.url,
  createReducer: (query) => new CellReducer(query),
}

/** The length from which joined serialized sketches are merged into one sketch, whose text is shorter, to save memory. */
const maxJoinedLength = 20_000

/** The number of groups per step of `finish`. Other work can run between two steps. */
const groupsPerStep = 1000

/**
 * A row of `readCells`: the JSON of a pending batch, or null and then one cell (on Postgres, a group of cells). Its columns are the
 * time slot, the values of the dimensions, the sums and the sketches, each in the order of the query.
 */
type CellRow =
  | readonly [batch: string, ...unused: unknown[]]
  | readonly [batch: null, slot: unknown, ...columns: unknown[]]
const slotPosition = 1
const firstValuePosition = 2

/** Reduces the rows of a query of cells. */
class CellReducer implements RowReducer<GroupColumns | undefined> {
  readonly #query: CellQuery
  /** The index of each group, by the start of its bucket and by its values. */
  readonly #groupIndexes = new Map<number, Map<string, number>>()
  /** The start of the bucket of each group, in milliseconds since the epoch; 0 without buckets. */
  readonly #starts: number[] = []
  /** For each column, the value of each group. */
  readonly #values: string[][]
  /** For each sum, the total of each group. */
  readonly #sums: bigint[][]
  /** For each sketch, the serialized sketch of each group, or several joined by spaces. */
  readonly #serializedSketches: string[][]
  /** The slot of the last row. This field and the next two are a cache, because most rows have the slot of the row before. */
  #slot: number | undefined
  /** The start of the bucket of `#slot`. */
  #start = 0
  /** The groups of the bucket of `#slot`, by their values. */
  #groupsOfBucket = new Map<string, number>()

  constructor(query: CellQuery) {
    this.#query = query
    this.#values = query.columns.map(() => [])
    this.#sums = query.sums.map(() => [])
    this.#serializedSketches = query.sketches.map(() => [])
  }

  /** @param row a `CellRow`. */
  add(row: readonly unknown[]): boolean {
    const [batch] = row as CellRow
    if (batch === null) this.#addRow(row)
    else for (const cell of parseBatch(batch)) this.#addCell(cell)
    return this.#starts.length <= this.#query.maxGroups
  }

  /** @returns undefined for more than `maxGroups` groups. */
  *finish(): Generator<undefined, GroupColumns | undefined> {
    const count = this.#starts.length
    if (count > this.#query.maxGroups) return undefined
    const quantiles = this.#serializedSketches.map(() => new Float64Array(count * quantileLevels.length))
    for (let group = 0; group < count; group++) {
      for (let sketch = 0; sketch < quantiles.length; sketch++)
        writeQuantiles(
          this.#serializedSketches[sketch]![group]!,
          quantileLevels,
          quantiles[sketch]!,
          group * quantileLevels.length,
        )
      if (group % groupsPerStep === groupsPerStep - 1) yield
    }
    return {
      starts: Float64Array.from(this.#starts),
      values: this.#values,
      sums: this.#sums.map(toNumbersIfExact),
      quantiles,
    }
  }

  #addRow(row: readonly unknown[]): void {
    const { columns, sums, sketches } = this.#query
    const firstSumPosition = firstValuePosition + columns.length
    const firstSketchPosition = firstSumPosition + sums.length
    const values = row.slice(firstValuePosition, firstSumPosition) as string[]
    const group = this.#findGroup(Number(row[slotPosition]), values)
    for (let sum = 0; sum < sums.length; sum++)
      this.#sums[sum]![group]! += readSumColumn(sums[sum]!, row[firstSumPosition + sum])
    for (let sketch = 0; sketch < sketches.length; sketch++)
      this.#mergeSketch(sketch, group, row[firstSketchPosition + sketch] as string | null)
  }

  #addCell(cell: MinuteCell): void {
    const { dimensions, minute } = cell
    const { organizationId, slotRanges, filters, slotMinutes, columns, sums, sketches } = this.#query
    if (dimensions.organization_id !== organizationId) return
    if (!slotRanges.some((range) => containsMinute(range, minute))) return
    if (!filters.every((filter) => matchesFilter(filter, dimensions[filter.column]))) return
    const group = this.#findGroup(
      slotMinutes === undefined ? 0 : toSlot(minute, slotMinutes),
      columns.map((column) => dimensions[column]),
    )
    for (const [sum, name] of sums.entries()) this.#sums[sum]![group]! += sumOfCell(name, cell)
    for (const [sketch, name] of sketches.entries()) this.#mergeSketch(sketch, group, cell.sketches[name].toText())
  }

  /** Returns the index of the group of a slot and values, which is created if necessary. */
  #findGroup(slot: number, values: readonly string[]): number {
    if (slot !== this.#slot) this.#selectSlot(slot)
    // Values are ids and names of this service or of the catalogue. They contain no line break, so the id is unique.
    const id = values.length === 1 ? values[0]! : values.join('\n')
    const existing = this.#groupsOfBucket.get(id)
    if (existing !== undefined) return existing
    const group = this.#starts.push(this.#start) - 1
    this.#groupsOfBucket.set(id, group)
    for (const [index, column] of this.#values.entries()) column.push(values[index]!)
    for (const column of this.#sums) column.push(0n)
    for (const column of this.#serializedSketches) column.push('')
    return group
  }

  #selectSlot(slot: number): void {
    const { granularity } = this.#query
    this.#slot = slot
    this.#start = granularity ? bucketStart(granularity, slot) : 0
    this.#groupsOfBucket = this.#groupIndexes.getOrInsertComputed(this.#start, () => new Map())
  }

  #mergeSketch(sketch: number, group: number, text: string | null): void {
    if (!text) return
    const serializedByGroup = this.#serializedSketches[sketch]!
    const existingText = serializedByGroup[group]!
    const joined = existingText === '' ? text : `${existingText} ${text}`
    serializedByGroup[group] = joined.length > maxJoinedLength ? Sketch.fromText(joined).toText() : joined
  }
}

/** Converts sums to numbers if that is exact, because numbers are the cheapest to send between threads. */
function toNumbersIfExact(sums: bigint[]): Float64Array | bigint[] {
  const numbers = new Float64Array(sums.length)
  for (let index = 0; index < sums.length; index++) {
    const number = Number(sums[index]!)
    if (!Number.isSafeInteger(number)) return sums
    numbers[index] = number
  }
  return numbers
}
