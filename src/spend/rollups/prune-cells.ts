import { dayMs, minuteMs, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { type Grain, grains, toSlot } from './cell.ts'
import { cellTables } from './cell-tables.ts'

/** Limits a batch, which blocks other statements of SQLite. */
const maxBatchRows = 200

/** The retention of minute cells. Hour cells are retained as long as ledger rows, day cells forever. */
export const minuteRetentionMs = 2 * dayMs

/** Deletes cells that are too old for their grain, in small batches. */
export async function pruneCells({ db, now }: { db: Db; now: Now }, retentionDays: number): Promise<void> {
  await pruneGrain(db, grains.minute, now() - minuteRetentionMs)
  await pruneGrain(db, grains.hour, now() - retentionDays * dayMs)
}

async function pruneGrain(db: Db, grain: Grain, before: number): Promise<void> {
  for (const table of cellTables) {
    const expiredCells = db.query
      .selectFrom(table as 'key_cells')
      .select(['slot', 'cell'])
      .where('grain', '=', grain)
      .where('slot', '<', toSlot(Math.floor(before / minuteMs), grain))
      .limit(maxBatchRows)
    let deletedRows: number
    do {
      const { numDeletedRows } = await db.query
        .deleteFrom(table as 'key_cells')
        .where('grain', '=', grain)
        .where((e) => e(e.refTuple('slot', 'cell'), 'in', expiredCells.$asTuple('slot', 'cell')))
        .executeTakeFirst()
      deletedRows = Number(numDeletedRows)
    } while (deletedRows === maxBatchRows)
  }
}
