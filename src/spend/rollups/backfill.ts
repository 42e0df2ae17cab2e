import type { Now } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { rolledUp } from '#platform/db/tables/ledger-tables.ts'
import { recordColumns } from '../ledger/record.ts'
import { exactText } from '../ledger/sums/exact.ts'
import { sumByMinute } from './batches.ts'
import { addCells, rollupsLock } from './merge-batches.ts'
import { type FactsRow, readRequestFacts } from './request-facts.ts'

const rowsPerTransaction = 200

const exactAmounts = [exactText('cost_pico').as('cost'), exactText('margin_pico').as('margin')] as const

/**
 * The age from which a row is counted. The position moves by `created_at`, the start of a request, but a server of an
 * earlier version writes a row only after the end. A row that appears behind the position would never be counted.
 */
const settledMs = 600_000

/**
 * Counts a batch of ledger rows from before the introduction of roll-ups, oldest first, each exactly once, with those that a
 * server of an earlier version writes in the first hour after the migration (until `until_at`).
 * @returns whether more rows may be waiting.
 */
export async function backfillRollups(
  { db, now }: { db: Db; now: Now },
  maxRows = rowsPerTransaction,
): Promise<boolean> {
  // Checked without the lock first, because the backfill has usually ended.
  const progress = await db.query.selectFrom('rollup_past').select('id').executeTakeFirst()
  if (!progress) return false
  return db.exclusively(rollupsLock, async (tx) => {
    const backfill = await tx.selectFrom('rollup_past').selectAll().executeTakeFirst()
    if (!backfill) return false
    const before = Math.min(now() - settledMs, backfill.until_at)
    const ledgerRows = await readNextRows(tx, backfill, before, maxRows)
    await addCells(db, tx, sumByMinute(ledgerRows.map(readRequestFacts)))
    const last = ledgerRows.at(-1)
    if (last) await tx.updateTable('rollup_past').set({ after_at: last.created_at, after_id: last.id }).execute()
    if (ledgerRows.length === maxRows) return true
    if (before === backfill.until_at) await tx.deleteFrom('rollup_past').execute()
    return false
  })
}

type BackfillPosition = { after_at: number; after_id: string }

function readNextRows(
  tx: Tx,
  { after_at, after_id }: BackfillPosition,
  before: number,
  maxRows: number,
): Promise<FactsRow[]> {
  return tx
    .selectFrom('generations')
    .select([...recordColumns, 'organization_id', ...exactAmounts])
    .where(sql<boolean>`(created_at, id) > (${after_at}, ${after_id})`)
    .where('created_at', '<', before)
    .where('rolled_up', '=', rolledUp.no)
    .orderBy('created_at')
    .orderBy('id')
    .limit(maxRows)
    .execute()
}
