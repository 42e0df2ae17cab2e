import type { SketchName } from '../rollups/cell.ts'
import type { CellQuery } from './cell-query.ts'
import type { SumName } from './sums.ts'

/** The supported percentiles. */
export const percents = [50, 75, 90, 95, 99] as const
export type Percent = (typeof percents)[number]
export const quantileLevels = percents.map((percent) => percent / 100)

/** The groups of a query as columns, for transfer between threads. */
export type GroupColumns = {
  /** The start of each bucket, in milliseconds since the epoch; 0 without granularity. */
  starts: Float64Array
  values: string[][]
  sums: (Float64Array | bigint[])[]
  /** By sketch: all percentiles of the first group, then of the second, and so on. NaN without measurements. */
  quantiles: Float64Array[]
}

/** The names of the requested columns, in the order in which `GroupColumns` has them. */
type RequestedColumns = Pick<CellQuery, 'sums' | 'sketches'>

/** One row of a result. */
export class Group {
  /** The start of its bucket, in milliseconds since the epoch; 0 without granularity. */
  readonly start: number
  /** The values of the requested dimensions, in their order. */
  readonly values: readonly string[]
  readonly #requested: RequestedColumns
  readonly #columns: GroupColumns
  readonly #index: number

  constructor(requested: RequestedColumns, columns: GroupColumns, index: number) {
    this.start = columns.starts[index]!
    this.values = columns.values.map((column) => column[index]!)
    this.#requested = requested
    this.#columns = columns
    this.#index = index
  }

  /** Returns a sum; 0 if it was not requested. */
  sum(name: SumName): bigint {
    return BigInt(this.#columns.sums[this.#requested.sums.indexOf(name)]?.[this.#index] ?? 0n)
  }

  /** Returns a percentile; undefined without measurements. */
  percentile(name: SketchName, percent: Percent): number | undefined {
    const quantiles = this.#columns.quantiles[this.#requested.sketches.indexOf(name)]
    const value = quantiles?.[this.#index * percents.length + percents.indexOf(percent)]
    return value === undefined || Number.isNaN(value) ? undefined : value
  }
}
