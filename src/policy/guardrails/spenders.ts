import type { Now } from '#platform/core/clock.ts'
import type { Db, Query } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { periodOf, type Spender } from '#spend/budgets/budget.ts'
import { addStatuses, type BudgetStatus, usedAmount } from '#spend/budgets/budget-status.ts'
import { dayOf } from '#spend/ledger/days.ts'
import { createGuardrailBudget } from './decide/guardrail-budget.ts'
import type { GuardrailRecord } from './guardrail.ts'

/** The number of listed members and keys. */
const maxListed = 10

export type SpenderStatus = { spender: Spender; name: string | null; status: BudgetStatus }

/** The members and keys that have spent the most of a guardrail's limit in the current period, the most first. */
export async function findSpenders(
  deps: { db: Pick<Db, 'kind' | 'query'>; now: Now },
  record: GuardrailRecord,
): Promise<SpenderStatus[]> {
  const { query } = deps.db
  const { id, workspaceId, createdAt, policy } = record
  if (policy.limit_usd === null) return []
  const period = periodOf({ interval: policy.reset_interval }, deps.now())
  const since = Math.max(period, dayOf(createdAt))
  const isDefault = await isDefaultOf(query, workspaceId, id)
  const find = (kind: Spender['kind']) =>
    findTopSpenders(query, {
      kind,
      workspaceId,
      since,
      includesByok: policy.include_byok_in_budgets,
      assignedTo: isDefault ? null : id,
    })
  const spenders = [...(await find('member')), ...(await find('key'))]
  const found = spenders.flatMap(({ spender, name }) => {
    const budget = createGuardrailBudget({ guardrail: record, isDefault }, spender)
    return budget ? [{ spender, name, budget }] : []
  })
  const withStatus = await addStatuses(deps, found)
  return withStatus.toSorted((a, b) => Number(usedAmount(b.status) - usedAmount(a.status))).slice(0, maxListed)
}

export async function isDefaultOf(query: Query, workspaceId: string, guardrailId: string): Promise<boolean> {
  const row = await query
    .selectFrom('workspaces')
    .where('id', '=', workspaceId)
    .select('default_guardrail_id')
    .executeTakeFirst()
  return row?.default_guardrail_id === guardrailId
}

type SpenderSearch = {
  kind: Spender['kind']
  workspaceId: string
  /** The first day that counts. */
  since: number
  includesByok: boolean
  /** The id of the guardrail to which the keys and members are assigned; null for all of the workspace. */
  assignedTo: string | null
}

/** Finds the spenders with the largest sums in the ledger. The sums are approximate, which is sufficient to order them. */
async function findTopSpenders(
  query: Query,
  search: SpenderSearch,
): Promise<{ spender: Spender; name: string | null }[]> {
  const isMember = search.kind === 'member'
  const column = isMember ? 'd.user_id' : 'd.key_hash'
  let matching = query
    .selectFrom('usage_days as d')
    .leftJoin('users as u', 'u.id', 'd.user_id')
    .leftJoin('api_keys as k', 'k.hash', 'd.key_hash')
    .where('d.workspace_id', '=', search.workspaceId)
    .where('d.day', '>=', search.since)
    .where('d.byok', '<=', search.includesByok ? 1 : 0)
  const { assignedTo } = search
  if (assignedTo !== null)
    matching = matching.where(column, 'in', (e) =>
      e
        .selectFrom('guardrail_assignments')
        .where('guardrail_id', '=', assignedTo)
        .where('target_kind', '=', search.kind)
        .select('target_id'),
    )
  const rows = await matching
    .groupBy(column)
    .select([`${column} as id`, sql<string | null>`max(${sql.ref(isMember ? 'u.email' : 'k.name')})`.as('name')])
    // Separate conversions: the sum of two integers can exceed the range of their type.
    .orderBy(sql`sum(cost_pico * 1.0 + margin_pico * 1.0)`, 'desc')
    .orderBy(column)
    .limit(maxListed)
    .execute()
  return rows.map(({ id, name }) => ({
    spender: isMember ? { kind: 'member', userId: id } : { kind: 'key', hash: id },
    name,
  }))
}
