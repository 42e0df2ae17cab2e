import type { Db, Tx } from '#platform/db/db.ts'
import { type MinuteCell, parseBatch } from './batches.ts'
import { CellSet } from './cell-rows.ts'
import { cellTables, grainsOf } from './cell-tables.ts'

/** Serializes the writers of cells, on all servers. */
export const rollupsLock = 'roll-ups'

/** The maximum number of cells in one transaction, except for a larger first batch. */
const maxCells = 400

/** The maximum number of batches in one transaction, because the query lists their ids. */
const maxBatches = 200

/**
 * Merges pending batches (`rollup_parts`) into the cells of the roll-ups, and deletes the batches, in one transaction.
 * @returns whether more batches may be waiting.
 */
export async function mergeBatches({ db }: { db: Db }): Promise<boolean> {
  // Most calls find no pending batch and take no lock.
  const firstBatch = await db.query.selectFrom('rollup_parts').select('id').limit(1).executeTakeFirst()
  if (!firstBatch) return false
  return db.exclusively(rollupsLock, async (tx) => {
    const batches = await readNextBatches(tx)
    if (batches.length === 0) return false
    await addCells(
      db,
      tx,
      batches.flatMap(({ cells }) => parseBatch(cells)),
    )
    const ids = batches.map(({ id }) => id)
    await tx.deleteFrom('rollup_parts').where('id', 'in', ids).execute()
    return true
  })
}

async function readNextBatches(tx: Tx): Promise<{ id: string; cells: string }[]> {
  const pending = await tx.selectFrom('rollup_parts').select(['id', 'size']).orderBy('id').limit(maxBatches).execute()
  const ids: string[] = []
  let cellCount = 0
  for (const { id, size } of pending) {
    cellCount += size
    if (ids.length > 0 && cellCount > maxCells) break
    ids.push(id)
  }
  if (ids.length === 0) return []
  return tx.selectFrom('rollup_parts').select(['id', 'cells']).where('id', 'in', ids).execute()
}

/** Adds cells of minutes to the stored cells of every grain. The caller must hold `rollupsLock`. */
export async function addCells(db: Pick<Db, 'kind'>, tx: Tx, cells: readonly MinuteCell[]): Promise<void> {
  for (const table of cellTables) {
    const cellSet = new CellSet(table)
    for (const cell of cells) cellSet.add(cell, grainsOf[table])
    await cellSet.write(db, tx)
  }
}
