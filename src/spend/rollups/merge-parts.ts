import type { Db, Tx } from '#platform/db/db.ts'
import { CellSet } from './cell-rows.ts'
import { cellTables, grainsOf } from './cell-tables.ts'
import { type MinuteCell, parsePart } from './parts.ts'

/** The lock of the server that writes cells. */
export const rollupsLock = 'roll-ups'

/** The maximum number of cells in one transaction, except for a larger first part. */
const maxCells = 400

/** The maximum number of parts in one transaction, because the query lists their ids. */
const maxParts = 200

/**
 * Merges parts into cells and deletes them, in one transaction.
 * @returns whether more parts may be waiting.
 */
export async function mergeParts({ db }: { db: Db }): Promise<boolean> {
  const firstPart = await db.query.selectFrom('rollup_parts').select('id').limit(1).executeTakeFirst()
  if (!firstPart) return false
  return db.exclusively(rollupsLock, async (tx) => {
    const parts = await readNextParts(tx)
    if (parts.length === 0) return false
    await addCells(
      db,
      tx,
      parts.flatMap(({ cells }) => parsePart(cells)),
    )
    const ids = parts.map(({ id }) => id)
    await tx.deleteFrom('rollup_parts').where('id', 'in', ids).execute()
    return true
  })
}

async function readNextParts(tx: Tx): Promise<{ id: string; cells: string }[]> {
  const sizes = await tx.selectFrom('rollup_parts').select(['id', 'size']).orderBy('id').limit(maxParts).execute()
  let size = 0
  const selected = sizes.filter((part, index) => {
    size += part.size
    return index === 0 || size <= maxCells
  })
  if (selected.length === 0) return []
  const ids = selected.map(({ id }) => id)
  return tx.selectFrom('rollup_parts').select(['id', 'cells']).where('id', 'in', ids).execute()
}

/** Adds cells of minutes to the stored cells of every grain. The caller must hold `rollupsLock`. */
export async function addCells(db: Pick<Db, 'kind'>, tx: Tx, cells: readonly MinuteCell[]): Promise<void> {
  for (const table of cellTables) {
    const set = new CellSet(table)
    for (const cell of cells) set.add(cell, grainsOf[table])
    await set.write(db, tx)
  }
}
