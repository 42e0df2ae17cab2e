import type { Query, Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import type { BudgetOwner } from '../budget.ts'
import { type BudgetInterval, budgetIntervals, type PooledBudgetRow } from './pooled-budget.ts'

const byInterval = (a: PooledBudgetRow, b: PooledBudgetRow) =>
  budgetIntervals.indexOf(a.reset_interval) - budgetIntervals.indexOf(b.reset_interval)

/** The budgets of a pool (a workspace or the organization), the shortest interval first. */
export async function findPooledBudgets(query: Query, { kind, id }: BudgetOwner): Promise<PooledBudgetRow[]> {
  const rows = await query
    .selectFrom('pooled_budgets')
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', id)
    .selectAll()
    .execute()
  return (rows as PooledBudgetRow[]).toSorted(byInterval)
}

/** The budgets that count the spending of a workspace: those of its organization, then its own. */
export async function findBudgetsOfWorkspace(query: Query, workspaceId: string): Promise<PooledBudgetRow[]> {
  const rows = await query
    .selectFrom('pooled_budgets as b')
    .innerJoin('workspaces as w', 'w.organization_id', 'b.organization_id')
    .where('w.id', '=', workspaceId)
    .where((e) => e.or([e('b.owner_kind', '=', 'organization'), e('b.owner_id', '=', workspaceId)]))
    .selectAll('b')
    .execute()
  const rank = ({ owner_kind }: PooledBudgetRow) => (owner_kind === 'organization' ? 0 : 1)
  return (rows as PooledBudgetRow[]).toSorted((a, b) => rank(a) - rank(b) || byInterval(a, b))
}

/** All pooled budgets of some organizations and of their workspaces. */
export async function findBudgetsOfOrganizations(query: Query, ids: readonly string[]): Promise<PooledBudgetRow[]> {
  const rows = await query.selectFrom('pooled_budgets').where('organization_id', 'in', ids).selectAll().execute()
  return rows as PooledBudgetRow[]
}

export async function findByAccount(query: Query, account: string): Promise<PooledBudgetRow | undefined> {
  const row = await query.selectFrom('pooled_budgets').where('account', '=', account).selectAll().executeTakeFirst()
  return row as PooledBudgetRow | undefined
}

export async function writePooledBudget(tx: Tx, row: PooledBudgetRow): Promise<void> {
  await upsert(tx, 'pooled_budgets', [row], { key: ['id'] }).execute()
}

export async function setIncludesByok(tx: Tx, { kind, id }: BudgetOwner, includesByok: boolean): Promise<void> {
  await tx
    .updateTable('pooled_budgets')
    .set({ include_byok: includesByok ? 1 : 0 })
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', id)
    .execute()
}

export async function deletePooledBudget(tx: Tx, { kind, id }: BudgetOwner, interval: BudgetInterval): Promise<void> {
  await tx
    .deleteFrom('pooled_budgets')
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', id)
    .where('reset_interval', '=', interval)
    .execute()
}
