import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { accountId } from '../account-id.ts'
import type { BudgetOwner } from '../budget.ts'
import { addStatuses, toStatusFields } from '../budget-status.ts'
import { deleteSpending } from '../rows/spending-rows.ts'
import { readThresholds, thresholdOwner, thresholdsOrDefault, writeThresholds } from '../thresholds.ts'
import {
  type BudgetInterval,
  budgetIntervals,
  limitFields,
  type PooledBudget,
  type PooledBudgetBody,
  type PooledBudgetRow,
  timeFields,
  toBudget,
} from './pooled-budget.ts'
import { deletePooledBudget, findPooledBudgets, setIncludesByok, writePooledBudget } from './pooled-budget-rows.ts'

type ReadDeps = { db: Db; now: Now }
type WriteDeps = ReadDeps & { newId: NewId }

/** One budget or several. The setting applies to all budgets of an owner. */
type PooledBudgets<Data> = { data: Data; include_byok_in_budgets: boolean }

/** The budgets of a workspace or organization with their spending, the shortest interval first. */
export async function listPooledBudgets(
  deps: ReadDeps,
  budgetOwner: BudgetOwner,
): Promise<PooledBudgets<PooledBudget[]>> {
  const rows = await findPooledBudgets(deps.db.query, budgetOwner)
  return { data: await addSpending(deps, rows), include_byok_in_budgets: includesByok(rows) }
}

/** @throws Fault `not_found`. */
export async function getPooledBudget(
  deps: ReadDeps,
  budgetOwner: BudgetOwner,
  interval: BudgetInterval,
): Promise<PooledBudgets<PooledBudget>> {
  const rows = await findPooledBudgets(deps.db.query, budgetOwner)
  const [data] = await addSpending(deps, [requireBudget(rows, interval)])
  return { data: data!, include_byok_in_budgets: includesByok(rows) }
}

/**
 * Creates or changes the budget of an interval.
 * @throws Fault `invalid` if a longer interval does not have a larger limit.
 */
export async function setPooledBudget(
  deps: WriteDeps,
  caller: Caller,
  budgetOwner: BudgetOwner,
  interval: BudgetInterval,
  body: PooledBudgetBody,
): Promise<PooledBudgets<PooledBudget>> {
  await changeBudgets(deps, budgetOwner, async (tx) => {
    const rows = await findPooledBudgets(tx, budgetOwner)
    requireOrder(rows, interval, body.limit_usd)
    const before = rows.find((row) => row.reset_interval === interval)
    const byok = body.include_byok_in_budgets ?? includesByok(rows)
    const at = deps.now()
    const after: PooledBudgetRow = {
      ...(before ?? createBudgetRow(deps, caller, budgetOwner, interval)),
      limit_usd: body.limit_usd,
      include_byok: byok ? 1 : 0,
      // Increases even if the clock stands still, so that clients notice each change.
      updated_at: before ? Math.max(at, before.updated_at + 1) : at,
    }
    await writePooledBudget(tx, after)
    // Spending without a budget is not counted in an account, so a new budget starts with the sum of the ledger.
    if (!before) await deleteSpending(tx, after.account)
    if (byok !== includesByok(rows)) {
      await setIncludesByok(tx, budgetOwner, byok)
      // The accounts lack or contain the spending with BYOK keys, so they start again with the sum of the ledger.
      for (const { account } of rows) await deleteSpending(tx, account)
    }
    const { owner, thresholds } = await readBudgetThresholds(tx, after)
    const newThresholds = body.thresholds ?? thresholds
    if (body.thresholds) await writeThresholds(tx, caller, owner, body.thresholds, at)
    await recordBudgetChange(deps, tx, caller, after.id, {
      before: before && { ...before, thresholds },
      after: { ...after, thresholds: newThresholds },
    })
  })
  return getPooledBudget(deps, budgetOwner, interval)
}

/** @throws Fault `not_found`. */
export async function removePooledBudget(
  deps: WriteDeps,
  caller: Caller,
  budgetOwner: BudgetOwner,
  interval: BudgetInterval,
): Promise<void> {
  await changeBudgets(deps, budgetOwner, async (tx) => {
    const before = requireBudget(await findPooledBudgets(tx, budgetOwner), interval)
    const { owner, thresholds } = await readBudgetThresholds(tx, before)
    await deletePooledBudget(tx, budgetOwner, interval)
    await writeThresholds(tx, caller, owner, null, deps.now())
    await recordBudgetChange(deps, tx, caller, before.id, { before: { ...before, thresholds } })
  })
}

/** Runs a change under a lock and notifies all servers. */
function changeBudgets(deps: { db: Db }, budgetOwner: BudgetOwner, work: (tx: Tx) => Promise<void>): Promise<void> {
  return deps.db.exclusively(`budgets:${budgetOwner.kind} ${budgetOwner.id}`, async (tx, publish) => {
    await work(tx)
    // Servers cache budgets with the guardrails of a workspace.
    for (const workspaceId of await workspacesOf(tx, budgetOwner)) publish('guardrail.changed', workspaceId)
  })
}

async function workspacesOf(tx: Tx, { kind, id }: BudgetOwner): Promise<string[]> {
  if (kind === 'workspace') return [id]
  const rows = await tx.selectFrom('workspaces').where('organization_id', '=', id).select('id').execute()
  return rows.map((row) => row.id)
}

const includesByok = (rows: readonly PooledBudgetRow[]) => rows.some(({ include_byok }) => include_byok === 1)

function requireBudget(rows: readonly PooledBudgetRow[], interval: BudgetInterval): PooledBudgetRow {
  const budget = rows.find((row) => row.reset_interval === interval)
  if (!budget) throw new Fault('not_found', `Budget "${interval}" not found.`)
  return budget
}

/** Requires a larger limit for a longer interval: an equal or smaller one would make the shorter budget useless. */
function requireOrder(rows: readonly PooledBudgetRow[], interval: BudgetInterval, limit: number): void {
  const length = budgetIntervals.indexOf(interval)
  for (const other of rows) {
    const otherLength = budgetIntervals.indexOf(other.reset_interval)
    if (otherLength === length) continue
    const isShorter = otherLength < length
    if (isShorter ? other.limit_usd < limit : other.limit_usd > limit) continue
    const relation = isShorter ? 'larger' : 'smaller'
    throw new Fault(
      'invalid',
      `Invalid request: limit_usd: the ${interval} budget, ${limit} USD, must be ${relation} than the ${other.reset_interval} budget, ${other.limit_usd} USD. Change that one first, or delete it.`,
    )
  }
}

/** A budget whose limit the caller sets. */
function createBudgetRow(
  deps: WriteDeps,
  caller: Caller,
  budgetOwner: BudgetOwner,
  interval: BudgetInterval,
): PooledBudgetRow {
  const at = deps.now()
  return {
    id: deps.newId(),
    organization_id: caller.organizationId,
    workspace_id: budgetOwner.kind === 'workspace' ? budgetOwner.id : null,
    owner_kind: budgetOwner.kind,
    owner_id: budgetOwner.id,
    reset_interval: interval,
    limit_usd: 0,
    include_byok: 0,
    account: accountId.pool(budgetOwner, interval),
    created_at: at,
    updated_at: at,
  }
}

async function addSpending(deps: ReadDeps, rows: readonly PooledBudgetRow[]): Promise<PooledBudget[]> {
  const items = rows.map((row) => {
    const budget = toBudget(row)
    return { row, budget, owner: thresholdOwner(budget.subject) }
  })
  const [itemsWithStatus, thresholds] = await Promise.all([
    addStatuses(deps, items),
    readThresholds(
      deps.db.query,
      items.map(({ owner }) => owner),
    ),
  ])
  return itemsWithStatus.map(({ row, owner, status }) => ({
    id: row.id,
    ...limitFields(row),
    ...toStatusFields(status),
    thresholds: thresholdsOrDefault(thresholds, owner),
    ...timeFields(row),
  }))
}

async function readBudgetThresholds(tx: Tx, row: PooledBudgetRow): Promise<{ owner: string; thresholds: number[] }> {
  const owner = thresholdOwner(toBudget(row).subject)
  return { owner, thresholds: thresholdsOrDefault(await readThresholds(tx, [owner]), owner) }
}

type AuditedBudget = PooledBudgetRow & { thresholds: number[] }

const auditedFields = ({ thresholds, ...row }: AuditedBudget) => ({
  id: row.id,
  [row.owner_kind === 'workspace' ? 'workspace_id' : 'organization_id']: row.owner_id,
  ...limitFields(row),
  include_byok_in_budgets: row.include_byok === 1,
  ...timeFields(row),
  thresholds,
})

function recordBudgetChange(
  deps: WriteDeps,
  tx: Tx,
  caller: Caller,
  id: string,
  { before, after }: { before?: AuditedBudget | undefined; after?: AuditedBudget | undefined },
): Promise<void> {
  const changeAction = after ? 'budget.updated' : 'budget.deleted'
  return recordChange(deps, tx, caller, {
    action: before ? changeAction : 'budget.created',
    targetKind: 'budget',
    targetId: id,
    before: before ? auditedFields(before) : null,
    after: after ? auditedFields(after) : null,
  })
}
