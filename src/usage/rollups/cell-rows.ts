import { createHash } from 'node:crypto'
import type { Db, Tx } from '#db/db.ts'
import { insertRows, replaceExisting, type Cell as Value } from '#db/insert-rows.ts'
import { sql } from '#db/kysely.ts'
import { mostKept } from '#lib/pico-usd.ts'
import { Sketch } from '#lib/sketch.ts'
import { exactly } from '../exact.ts'
import { addCell, amountNames, type Cell, newCell, sketchNames } from './cell.ts'
import { type Dimension, dimensionNames } from './dimensions.ts'

/** The tables of cells. Those of keys are many: what does not ask for keys or members reads the others. */
export type CellTable = 'workspace_cells' | 'key_cells'

const byKeyOnly: readonly Dimension[] = ['key_hash', 'user_id']

/** The dimensions that each table has. */
export const dimensionsOf = {
  workspace_cells: dimensionNames.filter((name) => !byKeyOnly.includes(name)),
  key_cells: [...dimensionNames],
} as const satisfies Record<CellTable, Dimension[]>

/** No statement takes long, however much is written. */
const rowsAtOnce = 2000

/** Slots that are read together, and no more: each is a condition within the statement. */
const slotsAtOnce = 50

/** A slot of time of one length, and its cells by their ids. */
type Slot = { grain: number; slot: number; cells: Map<string, Cell> }

const placeOf = ({ grain, slot }: Pick<Slot, 'grain' | 'slot'>) => `${grain} ${slot}`

/** Cells of a table, by slot and dimensions. What has the same is added up. */
export class CellSet {
  readonly table: CellTable
  readonly #slots = new Map<string, Slot>()

  constructor(table: CellTable) {
    this.table = table
  }

  add(grain: number, slot: number, cell: Cell): void {
    const names = dimensionsOf[this.table]
    const id = cellId(names.map((name) => cell.dimensions[name]))
    const { cells } = this.#slots.getOrInsertComputed(placeOf({ grain, slot }), () => ({
      grain,
      slot,
      cells: new Map(),
    }))
    addCell(
      cells.getOrInsertComputed(id, () => newCell(cell.dimensions)),
      cell,
    )
  }

  /** Adds what is in the database to these, and writes the sums. Only for who alone writes cells. */
  async write(db: Pick<Db, 'kind'>, tx: Tx): Promise<void> {
    const slots = [...this.#slots.values()]
    for (let from = 0; from < slots.length; from += slotsAtOnce)
      await this.#addStored(tx, slots.slice(from, from + slotsAtOnce))
    const rows = slots.flatMap(({ grain, slot, cells }) =>
      [...cells].map(([id, cell]) => this.#row(grain, slot, id, cell)),
    )
    const columns = columnsOf(this.table)
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      await insertRows(db, tx, this.table as 'key_cells', columns, rows.slice(from, from + rowsAtOnce), replace)
    }
  }

  async #addStored(tx: Tx, slots: readonly Slot[]): Promise<void> {
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
      .select(amountNames.map((name) => exactly(sql.ref(name)).as(name)))
      .execute()
    for (const row of rows) {
      const { amounts, sketches } = this.#slots.get(placeOf(row))!.cells.get(row.cell)!
      for (const name of amountNames) amounts[name] += BigInt(row[name])
      for (const name of sketchNames) sketches[name].merge(Sketch.fromText(row[name]))
    }
  }

  #row(grain: number, slot: number, id: string, { dimensions, amounts, sketches }: Cell): Value[] {
    return [
      grain,
      slot,
      id,
      ...dimensionsOf[this.table].map((name) => dimensions[name]),
      ...amountNames.map((name) => String(kept(amounts[name]))),
      ...sketchNames.map((name) => sketches[name].toText()),
    ]
  }
}

/** What a column holds of it. */
function kept(amount: bigint): bigint {
  if (amount > mostKept) return mostKept
  return amount < -mostKept ? -mostKept : amount
}

/** Short, and no two are the same: the key of a row would be long otherwise. */
function cellId(values: string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22)
}

const place = { grain: 'bigint', slot: 'bigint', cell: 'text' } as const

function columnsOf(table: CellTable) {
  const named = (names: readonly string[], kind: 'text' | 'bigint') =>
    Object.fromEntries(names.map((name) => [name, kind] as const))
  return {
    ...place,
    ...named(dimensionsOf[table], 'text'),
    ...named(amountNames, 'bigint'),
    ...named(sketchNames, 'text'),
  }
}

const replace = replaceExisting(['grain', 'slot', 'cell'], [...amountNames, ...sketchNames])
