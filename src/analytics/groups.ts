import { Sketch } from '#lib/sketch.ts'
import type { SketchName } from '#usage/rollups/cell.ts'
import type { SumName } from './sums.ts'

/** Adds up one row of a result. */
export class Group {
  /** When its bucket begins, in milliseconds since the epoch; 0 without granularity. */
  readonly start: number
  /** By dimension, in the order they were asked for. */
  readonly values: readonly string[]
  readonly #sums: Partial<Record<SumName, bigint>> = {}
  readonly #sketches: Partial<Record<SketchName, Sketch>> = {}

  constructor(start: number, values: readonly string[]) {
    this.start = start
    this.values = values
  }

  add(name: SumName, amount: bigint): void {
    const sum = this.#sums[name]
    this.#sums[name] = sum === undefined ? amount : sum + amount
  }

  merge(name: SketchName, sketch: Sketch): void {
    const own = this.#sketches[name]
    if (own) own.merge(sketch)
    else this.#sketches[name] = sketch
  }

  sum(name: SumName): bigint {
    return this.#sums[name] ?? 0n
  }

  sketch(name: SketchName): Sketch {
    return this.#sketches[name] ?? new Sketch()
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
