import type { Fold, Folding } from '#platform/db/rows/fold.ts'
import { Sketch, writeQuantiles } from '#platform/metrics/sketch.ts'
import { slotOf } from '../rollups/cell.ts'
import { cellsOfPart, type MinuteCell } from '../rollups/parts.ts'
import { bucketStart } from './buckets.ts'
import type { CellQuery } from './cell-query.ts'
import { passes } from './dimensions.ts'
import { type FoldedGroups, shares } from './group.ts'
import { readSumColumn, sumOfCell } from './sums.ts'
import { holds } from './tiles.ts'

/** Groups of cells, and of parts that are not merged yet. This module is also loaded by the thread of the embedded database. */
export const fold: Fold<CellQuery, FoldedGroups | undefined> = {
  module: import.meta.url,
  begin: (query) => new CellFold(query),
}

/** Longer than any sketch. Longer concatenated texts are merged, to save memory. */
const longestText = 20_000

/** The rows of one step. Other work runs between two steps. */
const groupsAtOnce = 1000

/** Folds the rows of `cellStatement`. */
class CellFold implements Folding<FoldedGroups | undefined> {
  readonly #query: CellQuery
  /** The index of each group, by bucket and values. */
  readonly #places = new Map<number, Map<string, number>>()
  readonly #starts: number[] = []
  /** The values by column, sum and sketch, and then by group. */
  readonly #values: string[][]
  readonly #sums: bigint[][]
  readonly #texts: string[][]
  /** The groups of the last bucket: most rows have the same bucket as the previous one. */
  #bucket: number | undefined
  #start = 0
  #placesOfBucket = new Map<string, number>()

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
    return this.#starts.length <= this.#query.mostGroups
  }

  *finish(): Generator<undefined, FoldedGroups | undefined> {
    const count = this.#starts.length
    if (count > this.#query.mostGroups) return undefined
    const quantiles = this.#texts.map(() => new Float64Array(count * shares.length))
    for (let at = 0; at < count; at++) {
      for (let sketch = 0; sketch < quantiles.length; sketch++)
        writeQuantiles(this.#texts[sketch]![at]!, shares, quantiles[sketch]!, at * shares.length)
      if (at % groupsAtOnce === groupsAtOnce - 1) yield
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
    if (!tiles.some((tile) => holds(tile, minute))) return
    if (!filters.every((filter) => passes(filter, dimensions[filter.column]))) return
    const group = this.#groupAt(
      unit === undefined ? 0 : slotOf(minute, unit),
      columns.map((column) => dimensions[column]),
    )
    for (const [at, name] of sums.entries()) this.#sums[at]![group]! += sumOfCell(name, cell)
    for (const [at, name] of sketches.entries()) this.#merge(at, group, cell.sketches[name].toText())
  }

  #groupAt(bucket: number, values: readonly string[]): number {
    if (bucket !== this.#bucket) this.#goTo(bucket)
    // Values are names of this service or the catalogue, without line breaks.
    const id = values.length === 1 ? values[0]! : values.join('\n')
    const existing = this.#placesOfBucket.get(id)
    if (existing !== undefined) return existing
    const group = this.#starts.push(this.#start) - 1
    this.#placesOfBucket.set(id, group)
    for (const [at, all] of this.#values.entries()) all.push(values[at]!)
    for (const all of this.#sums) all.push(0n)
    for (const all of this.#texts) all.push('')
    return group
  }

  #goTo(bucket: number): void {
    const { granularity } = this.#query
    this.#bucket = bucket
    this.#start = granularity ? bucketStart(granularity, bucket) : 0
    this.#placesOfBucket = this.#places.getOrInsertComputed(this.#start, () => new Map())
  }

  #merge(sketch: number, group: number, text: string | null): void {
    if (!text) return
    const texts = this.#texts[sketch]!
    const own = texts[group]!
    const joined = own === '' ? text : `${own} ${text}`
    texts[group] = joined.length > longestText ? Sketch.fromText(joined).toText() : joined
  }
}

/** As numbers if they are exact, which are cheapest to send between threads. */
function compact(sums: bigint[]): Float64Array | bigint[] {
  const numbers = new Float64Array(sums.length)
  for (let at = 0; at < sums.length; at++) {
    const number = Number(sums[at]!)
    if (!Number.isSafeInteger(number)) return sums
    numbers[at] = number
  }
  return numbers
}
