import type { Fold, RowReducer } from '#platform/db/rows/fold.ts'
import { Sketch, writeQuantiles } from '#platform/metrics/sketch.ts'
import { toSlot } from '../rollups/cell.ts'
import { type MinuteCell, parsePart } from '../rollups/parts.ts'
import { bucketStart } from './buckets.ts'
import type { CellQuery } from './cell-query.ts'
import { matchesFilter } from './dimensions.ts'
import { type FoldedGroups, quantileLevels } from './group.ts'
import { readSumColumn, sumOfCell } from './sums.ts'
import { containsMinute } from './tiles.ts'

/**
 * Groups the cells of roll-ups, and those in parts: the stored roll-ups of new requests, which are not merged into cells yet. The
 * thread of the embedded database also loads this module.
 */
export const fold: Fold<CellQuery, FoldedGroups | undefined> = {
  module: import.meta.url,
  createReducer: (query) => new CellFold(query),
}

/** The length from which joined serialized sketches are merged into one sketch, whose text is shorter, to save memory. */
const maxJoinedLength = 20_000

/** The number of groups per step of `finish`. Other work can run between two steps. */
const groupsPerStep = 1000

/** The positions in a row of `readCells` of the time slot, and of the first value of a dimension. The sums follow the values. */
const slotAt = 1
const valuesFrom = 2

/** Folds the rows of a query of cells. */
class CellFold implements RowReducer<FoldedGroups | undefined> {
  readonly #query: CellQuery
  /** The index of each group, by the start of its bucket and by its values. */
  readonly #groupIndexes = new Map<number, Map<string, number>>()
  /** The start of the bucket of each group, in milliseconds since the epoch; 0 without buckets. */
  readonly #starts: number[] = []
  /** For each column, the value of each group. */
  readonly #values: string[][]
  /** For each sum, the total of each group. */
  readonly #sums: bigint[][]
  /** For each kind of sketch, the serialized sketch of each group, or several joined by spaces. */
  readonly #texts: string[][]
  /**
   * The time slot of the last row: a number of minutes, hours or days since the epoch. A bucket can contain several slots,
   * because weeks and months are built of days. Cached with the next two, because most rows have the slot of the row before.
   */
  #slot: number | undefined
  /** The start of the bucket of `#slot`. */
  #start = 0
  /** The groups of the bucket of `#slot`, by their values. */
  #groupsOfBucket = new Map<string, number>()

  constructor(query: CellQuery) {
    this.#query = query
    this.#values = query.columns.map(() => [])
    this.#sums = query.sums.map(() => [])
    this.#texts = query.sketches.map(() => [])
  }

  /** @param row as `readCells` selects it: the text of a part, or null and then one cell or group of cells. */
  add(row: readonly unknown[]): boolean {
    const [part] = row
    if (part === null) this.#addRow(row)
    else for (const cell of parsePart(part as string)) this.#addCell(cell)
    return this.#starts.length <= this.#query.maxGroups
  }

  /** @returns undefined for more than `maxGroups` groups. */
  *finish(): Generator<undefined, FoldedGroups | undefined> {
    const count = this.#starts.length
    if (count > this.#query.maxGroups) return undefined
    const quantiles = this.#texts.map(() => new Float64Array(count * quantileLevels.length))
    for (let group = 0; group < count; group++) {
      for (let sketch = 0; sketch < quantiles.length; sketch++)
        writeQuantiles(this.#texts[sketch]![group]!, quantileLevels, quantiles[sketch]!, group * quantileLevels.length)
      if (group % groupsPerStep === groupsPerStep - 1) yield
    }
    return { starts: Float64Array.from(this.#starts), values: this.#values, sums: this.#sums.map(toNumbers), quantiles }
  }

  #addRow(row: readonly unknown[]): void {
    const { columns, sums, sketches } = this.#query
    const sumsFrom = valuesFrom + columns.length
    const group = this.#groupAt(Number(row[slotAt]), row.slice(valuesFrom, sumsFrom) as string[])
    let column = sumsFrom
    for (let at = 0; at < sums.length; at++) this.#sums[at]![group]! += readSumColumn(sums[at]!, row[column++])
    for (let at = 0; at < sketches.length; at++) this.#merge(at, group, row[column++] as string | null)
  }

  #addCell(cell: MinuteCell): void {
    const { dimensions, minute } = cell
    const { organizationId, tiles, filters, slotMinutes, columns, sums, sketches } = this.#query
    if (dimensions.organization_id !== organizationId) return
    if (!tiles.some((tile) => containsMinute(tile, minute))) return
    if (!filters.every((filter) => matchesFilter(filter, dimensions[filter.column]))) return
    const group = this.#groupAt(
      slotMinutes === undefined ? 0 : toSlot(minute, slotMinutes),
      columns.map((column) => dimensions[column]),
    )
    for (const [at, name] of sums.entries()) this.#sums[at]![group]! += sumOfCell(name, cell)
    for (const [at, name] of sketches.entries()) this.#merge(at, group, cell.sketches[name].toText())
  }

  #groupAt(slot: number, values: readonly string[]): number {
    if (slot !== this.#slot) this.#selectSlot(slot)
    // Values are ids and names of this service or of the catalogue. They contain no line break, so the id is unique.
    const id = values.length === 1 ? values[0]! : values.join('\n')
    const existing = this.#groupsOfBucket.get(id)
    if (existing !== undefined) return existing
    const group = this.#starts.push(this.#start) - 1
    this.#groupsOfBucket.set(id, group)
    for (const [index, column] of this.#values.entries()) column.push(values[index]!)
    for (const column of this.#sums) column.push(0n)
    for (const column of this.#texts) column.push('')
    return group
  }

  #selectSlot(slot: number): void {
    const { granularity } = this.#query
    this.#slot = slot
    this.#start = granularity ? bucketStart(granularity, slot) : 0
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
function toNumbers(sums: bigint[]): Float64Array | bigint[] {
  const numbers = new Float64Array(sums.length)
  for (let at = 0; at < sums.length; at++) {
    const number = Number(sums[at]!)
    if (!Number.isSafeInteger(number)) return sums
    numbers[at] = number
  }
  return numbers
}
