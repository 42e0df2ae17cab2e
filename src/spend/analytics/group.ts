import type { SketchName } from '../rollups/cell.ts'
import type { CellQuery } from './cell-query.ts'
import type { SumName } from './sums.ts'

/** The percentiles that can be asked for. */
export const percents = [50, 75, 90, 95, 99] as const
export type Percent = (typeof percents)[number]
export const shares = percents.map((percent) => percent / 100)

/** Groups as they are sent: by column, sum and sketch of a query, and then by group. */
export type FoldedGroups = {
  /** When each bucket begins, in milliseconds since the epoch; 0 without granularity. */
  starts: Float64Array
  values: string[][]
  sums: (Float64Array | bigint[])[]
  /** All percentiles of one group, then those of the next. Not a number where nothing was measured. */
  quantiles: Float64Array[]
}

type Read = Pick<CellQuery, 'sums' | 'sketches'>

/** One row of a result. */
export class Group {
  /** When its bucket begins, in milliseconds since the epoch; 0 without granularity. */
  readonly start: number
  /** By dimension, in the order they were asked for. */
  readonly values: readonly string[]
  readonly #read: Read
  readonly #folded: FoldedGroups
  readonly #at: number

  constructor(read: Read, folded: FoldedGroups, at: number) {
    this.start = folded.starts[at]!
    this.values = folded.values.map((all) => all[at]!)
    this.#read = read
    this.#folded = folded
    this.#at = at
  }

  /** 0 where it was not asked for. */
  sum(name: SumName): bigint {
    return BigInt(this.#folded.sums[this.#read.sums.indexOf(name)]?.[this.#at] ?? 0n)
  }

  /** Undefined where nothing was measured. */
  percentile(name: SketchName, percent: Percent): number | undefined {
    const all = this.#folded.quantiles[this.#read.sketches.indexOf(name)]
    const value = all?.[this.#at * percents.length + percents.indexOf(percent)]
    return value === undefined || Number.isNaN(value) ? undefined : value
  }
}
