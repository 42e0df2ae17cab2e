import type { Inserted, Cell as Value } from '#platform/db/rows/insert-rows.ts'
import { Sketch } from '#platform/metrics/sketch.ts'
import { amountNames, type Cell, countInto, minuteMs, newCell, sketchNames } from './cell.ts'
import { type Dimensions, dimensionNames } from './dimensions.ts'
import type { RequestFacts } from './request-facts.ts'

/** The cell of one minute. */
export type MinuteCell = Cell & { minute: number }

/** So many cells are merged within one transaction, which keeps other writers of the embedded database waiting. */
const cellsAtOnce = 250

/** Requests added up by minute and all dimensions. */
export class MinuteCells {
  readonly #found = new Map<string, MinuteCell>()

  add(facts: RequestFacts): void {
    const minute = Math.floor(facts.at / minuteMs)
    const { dimensions } = facts
    let id = String(minute)
    for (const name of dimensionNames) id += ` ${dimensions[name]}`
    let cell = this.#found.get(id)
    if (!cell) {
      cell = { minute, ...newCell(dimensions) }
      this.#found.set(id, cell)
    }
    countInto(cell, facts)
  }

  all(): MinuteCell[] {
    return [...this.#found.values()]
  }
}

export function minuteCells(requests: Iterable<RequestFacts>): MinuteCell[] {
  const cells = new MinuteCells()
  for (const facts of requests) cells.add(facts)
  return cells.all()
}

/**
 * What puts the roll-ups of some requests on record, in the transaction that writes them: new rows only, so that nobody
 * waits for anybody. They are merged into slots of time later. The first request of all names its parts: that it is
 * written once makes them so.
 */
export function insertionOfParts(firstId: string, cells: readonly MinuteCell[]): Inserted {
  const rows: Value[][] = []
  for (let from = 0; from < cells.length; from += cellsAtOnce) {
    const some = cells.slice(from, from + cellsAtOnce)
    rows.push([`${firstId} ${from}`, some.length, partText(some)])
  }
  return { table: 'rollup_parts', columns: { id: 'text', size: 'bigint', cells: 'text' }, rows }
}

/** Words that cells share stand in a list, once. */
type PartForm = { words: string[]; cells: (number | string)[][] }

function partText(cells: readonly MinuteCell[]): string {
  const words = new Map<string, number>()
  const wordAt = (word: string) => words.getOrInsertComputed(word, () => words.size)
  const told = cells.map(({ minute, dimensions, amounts, sketches }) => [
    minute,
    ...dimensionNames.map((name) => wordAt(dimensions[name])),
    ...amountNames.map((name) => String(amounts[name])),
    ...sketchNames.map((name) => sketches[name].toText()),
  ])
  return JSON.stringify({ words: [...words.keys()], cells: told } satisfies PartForm)
}

export function cellsOfPart(text: string): MinuteCell[] {
  const { words, cells } = JSON.parse(text) as PartForm
  return cells.map(([minute, ...told]) => {
    const dimensions = {} as Dimensions
    for (const [at, name] of dimensionNames.entries()) dimensions[name] = words[told[at] as number]!
    const cell = newCell(dimensions)
    for (const [at, name] of amountNames.entries()) cell.amounts[name] = BigInt(told[dimensionNames.length + at]!)
    for (const [at, name] of sketchNames.entries())
      cell.sketches[name] = Sketch.fromText(told[dimensionNames.length + amountNames.length + at] as string)
    return { minute: minute as number, ...cell }
  })
}
