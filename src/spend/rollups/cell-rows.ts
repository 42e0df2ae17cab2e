import { createHash } from 'node:crypto'
import { maxStorable } from '#platform/core/pico-usd.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { type ColumnValue, insertRows, replaceExisting } from '#platform/db/rows/insert-rows.ts'
import { Sketch } from '#platform/metrics/sketch.ts'
import { exactText } from '../ledger/sums/exact.ts'
import type { MinuteCell } from './batches.ts'
import { type Amount, type Cell, newSketches, sketchNames, toSlot } from './cell.ts'
import { type CellTable, dimensionsOf, sumColumns, summands } from './cell-tables.ts'

const rowsPerStatement = 2000

/** Limits the conditions of one query. */
const slotsPerQuery = 50

/** A row of a table: its sums by column. */
type RowSums = Pick<Cell, 'dimensions' | 'sketches'> & { amounts: Record<string, bigint> }

/** A time slot with its cells by id. */
type SlotCells = { grain: number; slot: number; cells: Map<string, RowSums> }

const slotKey = ({ grain, slot }: Pick<SlotCells, 'grain' | 'slot'>) => `${grain} ${slot}`

/** The cells of a table by slot and dimensions. Cells with the same dimensions are summed. */
export class CellSet {
  readonly table: CellTable
  readonly #slots = new Map<string, SlotCells>()

  constructor(table: CellTable) {
    this.table = table
  }

  /** Adds the cell of a minute to its slot of each grain. */
  add(cell: MinuteCell, grains: readonly number[]): void {
    const summed = sumColumns[this.table]
    const id = cellId(dimensionsOf[this.table].map((name) => cell.dimensions[name]))
    const added = summands(this.table, cell)
    for (const grain of grains) {
      const slot = toSlot(cell.minute, grain)
      const { cells } = this.#slots.getOrInsertComputed(slotKey({ grain, slot }), () => ({
        grain,
        slot,
        cells: new Map(),
      }))
      const total = cells.getOrInsertComputed(id, () => ({
        dimensions: cell.dimensions,
        amounts: Object.fromEntries(summed.map((name) => [name, 0n])),
        sketches: newSketches(),
      }))
      for (const name of summed) total.amounts[name]! += added[name]!
      for (const name of sketchNames) total.sketches[name].merge(cell.sketches[name])
    }
  }

  /** Adds the stored amounts and writes the sums. The caller must hold the lock `rollupsLock` (`merge-batches.ts`). */
  async write(db: Pick<Db, 'kind'>, tx: Tx): Promise<void> {
    const slots = [...this.#slots.values()]
    for (let from = 0; from < slots.length; from += slotsPerQuery)
      await this.#addStored(tx, slots.slice(from, from + slotsPerQuery))
    const rows = slots.flatMap(({ grain, slot, cells }) =>
      [...cells].map(([id, cell]) => this.#row(grain, slot, id, cell)),
    )
    const columns = columnsOf(this.table)
    for (let from = 0; from < rows.length; from += rowsPerStatement) {
      await insertRows(
        db,
        tx,
        // For the compiler: all tables of cells have the grain, the slot and the sums; `columns` has the rest.
        this.table as 'key_cells',
        columns,
        rows.slice(from, from + rowsPerStatement),
        conflictClause(this.table),
      )
    }
  }

  async #addStored(tx: Tx, slots: readonly SlotCells[]): Promise<void> {
    const rows = await tx
      .selectFrom(this.table as 'key_cells')
      .where((e) =>
        e.or(
          slots.map(({ grain, slot, cells }) =>
            e.and([e('grain', '=', grain), e('slot', '=', slot), e('cell', 'in', [...cells.keys()])]),
          ),
        ),
      )
      .select(['grain', 'slot', 'cell', ...sketchNames])
      .select(sumColumns[this.table].map((name) => exactText(name).as(name)))
      .execute()
    for (const row of rows) {
      const { amounts, sketches } = this.#slots.get(slotKey(row))!.cells.get(row.cell)!
      for (const name of sumColumns[this.table]) amounts[name]! += BigInt(row[name as Amount])
      for (const name of sketchNames) sketches[name].merge(Sketch.fromText(row[name]))
    }
  }

  #row(grain: number, slot: number, id: string, { dimensions, amounts, sketches }: RowSums): ColumnValue[] {
    return [
      grain,
      slot,
      id,
      ...dimensionsOf[this.table].map((name) => dimensions[name]),
      ...sumColumns[this.table].map((name) => String(clamp(amounts[name]!))),
      ...sketchNames.map((name) => sketches[name].toText()),
    ]
  }
}

/** Limits an amount to the range of a column. The cell of a correction has negative amounts. */
function clamp(amount: bigint): bigint {
  if (amount > maxStorable) return maxStorable
  return amount < -maxStorable ? -maxStorable : amount
}

/** The characters of a cell's id: 132 bits of a hash, enough to distinguish all combinations. */
const cellIdLength = 22

/** Returns a short id for a combination of dimensions, because the full key would be long. */
function cellId(values: string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, cellIdLength)
}

const slotColumns = { grain: 'bigint', slot: 'bigint', cell: 'text' } as const

function columnsOf(table: CellTable) {
  const columnsOfKind = (names: readonly string[], kind: 'text' | 'bigint') =>
    Object.fromEntries(names.map((name) => [name, kind] as const))
  return {
    ...slotColumns,
    ...columnsOfKind(dimensionsOf[table], 'text'),
    ...columnsOfKind(sumColumns[table], 'bigint'),
    ...columnsOfKind(sketchNames, 'text'),
  }
}

const conflictClause = (table: CellTable) =>
  replaceExisting(['grain', 'slot', 'cell'], [...sumColumns[table], ...sketchNames])
