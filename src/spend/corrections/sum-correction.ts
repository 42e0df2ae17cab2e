import { minuteMs } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { insertRows } from '#platform/db/rows/insert-rows.ts'
import { rolledUp } from '#platform/db/tables/ledger-tables.ts'
import { dayOf } from '../ledger/days.ts'
import { createBatchInsertion } from '../rollups/batches.ts'
import { type Amounts, newCell } from '../rollups/cell.ts'
import { readRequestFacts } from '../rollups/request-facts.ts'
import type { ChargedRow, NewCharge } from './charged-row.ts'

/** The differences of the amounts that a correction changes. */
type Differences = Pick<
  Amounts,
  'prompt_tokens' | 'completion_tokens' | 'reasoning_tokens' | 'cached_tokens' | 'cost_pico' | 'margin_pico'
>

/** Adds the differences of a correction to the sums by day and to the roll-ups. */
export async function correctSums(
  db: Pick<Db, 'kind'>,
  tx: Tx,
  before: ChargedRow,
  after: Pick<NewCharge, 'cost' | 'margin' | 'tokens'>,
): Promise<void> {
  const differences = differencesOf(before, after)
  await correctDays(tx, before, differences)
  await correctCells(db, tx, before, differences)
}

function differencesOf(
  { facts, cost, margin }: ChargedRow,
  after: Pick<NewCharge, 'cost' | 'margin' | 'tokens'>,
): Differences {
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

async function correctDays(tx: Tx, row: ChargedRow, { cached_tokens: _, ...differences }: Differences): Promise<void> {
  // Without cached tokens, which these tables do not have.
  const added = Object.fromEntries(
    Object.entries(differences).map(([name, difference]) => [name, sql`${sql.ref(name)} + ${difference}`]),
  )
  const { facts } = row
  const isAnswered = facts.endpoint_id != null
  // The cast is for the compiler: apart from the owner, both tables have the same columns.
  for (const table of ['usage_days', 'workspace_days'] as const)
    await tx
      .updateTable(table as 'usage_days')
      .set(added)
      .where('organization_id', '=', row.organization_id)
      .where('day', '=', dayOf(row.created_at))
      .where(
        table === 'usage_days' ? 'key_hash' : 'workspace_id',
        '=',
        table === 'usage_days' ? row.key_hash : row.workspace_id,
      )
      .where('model', '=', isAnswered ? row.model : '')
      .where('endpoint', '=', facts.endpoint_id ?? '')
      .where('byok', '=', facts.is_byok ? 1 : 0)
      .execute()
}

/** Corrects the cells of a row. Rows that the backfill has not counted yet are counted later, with their new amounts. */
async function correctCells(db: Pick<Db, 'kind'>, tx: Tx, row: ChargedRow, differences: Differences): Promise<void> {
  if (row.rolled_up === rolledUp.no) return
  // Only the dimensions are read, so the amounts do not matter.
  const { dimensions } = readRequestFacts({ ...row, cost: '0', margin: '0' })
  const cell = { minute: Math.floor(row.created_at / minuteMs), ...newCell(dimensions) }
  Object.assign(cell.amounts, differences)
  if (row.rolled_up === rolledUp.withoutMargin) cell.amounts.margin_pico = 0n
  // Each correction lowers the margin, or the cost at the same margin: the amounts before it make the id unique.
  const batch = createBatchInsertion(`${row.id}/${row.margin}/${row.cost}`, [cell])
  await insertRows(db, tx, batch.table, batch.columns, batch.rows)
}
