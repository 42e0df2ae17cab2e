import type { SketchName } from '../rollups/cell.ts'
import type { CellQuery } from './cell-query.ts'
import type { SumName } from './sums.ts'

/** The supported percentiles. */
export const percents = [50, 75, 90, 95, 99] as const
export type Percent = (typeof percents)[number]
export const shares = percents.map((percent) => percent / 100)

/** The groups of a query as columns, for transfer between threads. */
export type FoldedGroups = {
  /** The start of each bucket, in milliseconds since the epoch; 0 without granularity. */
  starts: Float64Array
  values: string[][]
  sums: (Float64Array | bigint[])[]
  /** The percentiles of each group in turn. NaN without measurements. */
  quantiles: Float64Array[]
}

type Read = Pick<CellQuery, 'sums' | 'sketches'>

/** One row of a result. */
export class Group {
  /** The start of its bucket, in milliseconds since the epoch; 0 without granularity. */
  readonly start: number
  /** The values of the requested dimensions, in their order. */
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

  /** 0 if it was not requested. */
  sum(name: SumName): bigint {
    return BigInt(this.#folded.sums[this.#read.sums.indexOf(name)]?.[this.#at] ?? 0n)
  }

  /** Undefined without measurements. */
  percentile(name: SketchName, percent: Percent): number | undefined {
    const all = this.#folded.quantiles[this.#read.sketches.indexOf(name)]
    const value = all?.[this.#at * percents.length + percents.indexOf(percent)]
    return value === undefined || Number.isNaN(value) ? undefined : value
  }
}
