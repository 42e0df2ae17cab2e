import { minuteMs } from '#platform/core/clock.ts'
import type { ColumnValue, Insertion } from '#platform/db/rows/insert-rows.ts'
import { Sketch } from '#platform/metrics/sketch.ts'
import { type Amount, addRequest, amountNames, type Cell, newCell, sketchNames } from './cell.ts'
import { type Dimensions, dimensionColumns } from './dimensions.ts'
import type { RequestFacts } from './request-facts.ts'

/** The cell of one minute. */
export type MinuteCell = Cell & { minute: number }

/** The maximum number of cells of a batch. A batch is merged in one transaction, which blocks other writers of SQLite meanwhile. */
const cellsPerBatch = 250

/** Sums of requests by minute and all dimensions. */
export class MinuteCells {
  readonly #cells = new Map<string, MinuteCell>()

  add(facts: RequestFacts): void {
    const minute = Math.floor(facts.at / minuteMs)
    const { dimensions } = facts
    // No dimension contains a line break, so the id is unique.
    let id = String(minute)
    for (const name of dimensionColumns) id += `\n${dimensions[name]}`
    let cell = this.#cells.get(id)
    if (!cell) {
      cell = { minute, ...newCell(dimensions) }
      this.#cells.set(id, cell)
    }
    addRequest(cell, facts)
  }

  all(): MinuteCell[] {
    return [...this.#cells.values()]
  }
}

export function sumByMinute(requests: Iterable<RequestFacts>): MinuteCell[] {
  const cells = new MinuteCells()
  for (const facts of requests) cells.add(facts)
  return cells.all()
}

/**
 * Creates the insertion that stores the cells of new requests as pending batches, in the transaction of the requests. A batch is a
 * row of `rollup_parts` with up to `cellsPerBatch` cells as JSON. Batches are new rows, so that writers do not block each other.
 * `merge-batches.ts` adds the cells to the roll-ups later. The ids of batches contain the id of the first request, so that a repeated
 * write fails.
 */
export function createBatchInsertion(
  firstId: string,
  cells: readonly MinuteCell[],
): Extract<Insertion, { table: 'rollup_parts' }> {
  const rows: ColumnValue[][] = []
  for (let from = 0; from < cells.length; from += cellsPerBatch) {
    const chunk = cells.slice(from, from + cellsPerBatch)
    rows.push([`${firstId} ${from}`, chunk.length, serializeBatch(chunk)])
  }
  return { table: 'rollup_parts', columns: { id: 'text', size: 'bigint', cells: 'text' }, rows }
}

/** Amounts that later versions added. They come last, because servers of earlier versions read by position. */
const laterAmounts: readonly Amount[] = ['margin_pico']
const firstAmounts = amountNames.filter((name) => !laterAmounts.includes(name))

/** The stored JSON of a batch. Cells refer to texts by their index in `words`. */
type StoredBatch = { words: string[]; cells: (number | string)[][] }

function serializeBatch(cells: readonly MinuteCell[]): string {
  const words = new Map<string, number>()
  const wordIndex = (word: string) => words.getOrInsertComputed(word, () => words.size)
  const values = cells.map(({ minute, dimensions, amounts, sketches }) => [
    minute,
    ...dimensionColumns.map((name) => wordIndex(dimensions[name])),
    ...firstAmounts.map((name) => String(amounts[name])),
    ...sketchNames.map((name) => sketches[name].toText()),
    ...laterAmounts.map((name) => String(amounts[name])),
  ])
  return JSON.stringify({ words: [...words.keys()], cells: values } satisfies StoredBatch)
}

export function parseBatch(text: string): MinuteCell[] {
  const { words, cells } = JSON.parse(text) as StoredBatch
  return cells.map(([minute, ...values]) => {
    const dimensions = {} as Dimensions
    for (const [index, name] of dimensionColumns.entries()) dimensions[name] = words[values[index] as number]!
    const cell = newCell(dimensions)
    let position = dimensionColumns.length
    for (const name of firstAmounts) cell.amounts[name] = BigInt(values[position++]!)
    for (const name of sketchNames) cell.sketches[name] = Sketch.fromText(values[position++] as string)
    // Batches of earlier versions lack these.
    for (const name of laterAmounts) cell.amounts[name] = BigInt(values[position++] ?? 0)
    return { minute: minute as number, ...cell }
  })
}
