import { quantilesOfText } from '#lib/sketch.ts'
import type { SketchName } from '#usage/rollups/cell.ts'
import type { SumName } from './sums.ts'

/** The percentiles that can be asked for. */
export const percents = [50, 75, 90, 95, 99] as const
export type Percent = (typeof percents)[number]
const shares = percents.map((percent) => percent / 100)

/** Adds up one row of a result. */
export class Group {
  /** When its bucket begins, in milliseconds since the epoch; 0 without granularity. */
  readonly start: number
  /** By dimension, in the order they were asked for. */
  readonly values: readonly string[]
  readonly #sums: Partial<Record<SumName, bigint>> = {}
  readonly #distributions: Partial<Record<SketchName, string>> = {}
  readonly #quantiles: Partial<Record<SketchName, readonly number[]>> = {}

  constructor(start: number, values: readonly string[]) {
    this.start = start
    this.values = values
  }

  add(name: SumName, amount: bigint): void {
    const sum = this.#sums[name]
    this.#sums[name] = sum === undefined ? amount : sum + amount
  }

  /** @param texts of one sketch, or of several with spaces between. */
  merge(name: SketchName, texts: string): void {
    const own = this.#distributions[name]
    this.#distributions[name] = own === undefined ? texts : `${own} ${texts}`
  }

  sum(name: SumName): bigint {
    return this.#sums[name] ?? 0n
  }

  /** Counted once: whoever arranges groups asks for them again and again. Undefined where nothing was measured. */
  percentile(name: SketchName, percent: Percent): number | undefined {
    const texts = this.#distributions[name]
    if (texts === undefined) return undefined
    this.#quantiles[name] ??= quantilesOfText(texts, shares)
    return this.#quantiles[name][percents.indexOf(percent)]
  }
}

/** Groups by bucket and values. */
export class Groups {
  readonly #groups = new Map<string, Group>()

  at(start: number, values: readonly string[]): Group {
    // No value holds a line break: all are names of ours, or of the catalogue.
    const id = `${start}\n${values.join('\n')}`
    return this.#groups.getOrInsertComputed(id, () => new Group(start, values))
  }

  all(): Group[] {
    return [...this.#groups.values()]
  }
}
