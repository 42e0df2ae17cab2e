import { minuteMs } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { insertRows } from '#platform/db/rows/insert-rows.ts'
import { rolledUp } from '#platform/db/tables/ledger-tables.ts'
import { dayOf } from '../ledger/days.ts'
import { type UsageKey, usageRowId } from '../ledger/sums/daily-usage.ts'
import { createBatchInsertion } from '../rollups/batches.ts'
import { type Amounts, newCell } from '../rollups/cell.ts'
import { readRequestFacts } from '../rollups/request-facts.ts'
import type { ChargedRow, NewCharge } from './charged-row.ts'

/** A change of the charge of one request. */
export type Correction = { before: ChargedRow; after: NewCharge }

/** The differences of the amounts that a correction changes. */
type Differences = Pick<
  Amounts,
  'prompt_tokens' | 'completion_tokens' | 'reasoning_tokens' | 'cached_tokens' | 'cost_pico' | 'margin_pico'
>

type CorrectedRow = { row: ChargedRow; differences: Differences }

/** Adds the differences of corrections to the sums by day and to the roll-ups. */
export async function correctSums(db: Pick<Db, 'kind'>, tx: Tx, corrections: readonly Correction[]): Promise<void> {
  const rows = corrections.map(({ before, after }) => ({ row: before, differences: differencesOf(before, after) }))
  // The ledger writes these tables in this order, too. In another order, it and a correction would deadlock.
  for (const table of ['usage_days', 'workspace_days'] as const) await correctDays(tx, table, rows)
  await correctCells(db, tx, rows)
}

function differencesOf({ facts, cost, margin }: ChargedRow, after: NewCharge): Differences {
  const { tokens } = after
  const difference = (newValue: number | undefined, oldValue = 0) =>
    BigInt(Math.trunc(newValue ?? oldValue) - Math.trunc(oldValue))
  return {
    prompt_tokens: difference(tokens?.prompt, facts.tokens_prompt),
    completion_tokens: difference(tokens?.completion, facts.tokens_completion),
    reasoning_tokens: difference(tokens?.reasoning, facts.tokens_reasoning),
    cached_tokens: difference(tokens?.cached, facts.tokens_cached),
    cost_pico: after.cost - cost,
    margin_pico: after.margin - margin,
  }
}

/** Adds the differences to the rows of a table by day, in the order in which the ledger writes them. */
async function correctDays(
  tx: Tx,
  table: 'usage_days' | 'workspace_days',
  corrected: readonly CorrectedRow[],
): Promise<void> {
  const byId = Map.groupBy(corrected, ({ row }) => usageRowId(table, usageKeyOf(row)))
  for (const [, rows] of [...byId].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const key = usageKeyOf(rows[0]!.row)
    // The cast is for the compiler: apart from the owner, both tables have the same columns.
    await tx
      .updateTable(table as 'usage_days')
      .set(additionsOf(rows))
      .where('organization_id', '=', key.organization_id)
      .where('day', '=', key.day)
      .where(
        table === 'usage_days' ? 'key_hash' : 'workspace_id',
        '=',
        table === 'usage_days' ? key.key_hash : key.workspace_id,
      )
      .where('model', '=', key.model)
      .where('endpoint', '=', key.endpoint)
      .where('byok', '=', key.byok)
      .execute()
  }
}

/** Returns the columns of the sums by day with their additions. */
function additionsOf(rows: readonly CorrectedRow[]) {
  // Without cached tokens, which these tables do not have.
  const names = ['prompt_tokens', 'completion_tokens', 'reasoning_tokens', 'cost_pico', 'margin_pico'] as const
  return Object.fromEntries(
    names.map((name) => {
      const added = rows.reduce((sum, { differences }) => sum + differences[name], 0n)
      return [name, sql`${sql.ref(name)} + ${added}`]
    }),
  )
}

/** Returns the columns that identify the rows of a request in both tables. */
function usageKeyOf({ facts, ...row }: ChargedRow): UsageKey<'usage_days'> & UsageKey<'workspace_days'> {
  return {
    organization_id: row.organization_id,
    day: dayOf(row.created_at),
    key_hash: row.key_hash,
    workspace_id: row.workspace_id,
    model: facts.endpoint_id == null ? '' : row.model,
    endpoint: facts.endpoint_id ?? '',
    byok: facts.is_byok ? 1 : 0,
  }
}

/** Corrects the cells of rows. Rows that the backfill has not counted yet are counted later, with their new amounts. */
async function correctCells(db: Pick<Db, 'kind'>, tx: Tx, corrected: readonly CorrectedRow[]): Promise<void> {
  const batches = corrected.filter(({ row }) => row.rolled_up !== rolledUp.no).map(toBatch)
  const [first] = batches
  if (!first) return
  const rows = batches.flatMap((batch) => batch.rows)
  await insertRows(db, tx, first.table, first.columns, rows)
}

function toBatch({ row, differences }: CorrectedRow) {
  // Only the dimensions are read, so the amounts do not matter.
  const { dimensions } = readRequestFacts({ ...row, cost: '0', margin: '0' })
  const cell = { minute: Math.floor(row.created_at / minuteMs), ...newCell(dimensions) }
  Object.assign(cell.amounts, differences)
  if (row.rolled_up === rolledUp.withoutMargin) cell.amounts.margin_pico = 0n
  // Each correction lowers the margin, or the cost at the same margin: the amounts before it make the id unique.
  return createBatchInsertion(`${row.id}/${row.margin}/${row.cost}`, [cell])
}
