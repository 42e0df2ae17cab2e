import type { Now } from '#platform/core/clock.ts'
import type { Db, Query } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { groupAccountPrefix } from '#spend/budgets/account-id.ts'
import { type PersistentBudget, periodOf } from '#spend/budgets/budget.ts'
import { addStatuses, type BudgetStatus } from '#spend/budgets/budget-status.ts'
import type { Grouping } from '#spend/ledger/request-group.ts'
import { createGroupBudget, type EffectiveGroupLimit, groupingOf } from './decide/guardrail-budget.ts'

/** The limit of one session or tag value; `value` is null if nothing has used the limit in the current period. */
type GroupStatus = { value: string | null; budget: PersistentBudget; status: BudgetStatus }

/**
 * The sessions or tag values that have spent the most of a limit in the current period, the most first.
 * @param keyHash restricts them to those that the key has used.
 */
export async function readGroupStatuses(
  deps: { db: Pick<Db, 'kind' | 'query'>; now: Now },
  groupLimit: EffectiveGroupLimit,
  { limit: maxGroups, keyHash }: { limit: number; keyHash?: string },
): Promise<GroupStatus[]> {
  const interval = groupLimit.limit.reset_interval
  const period = periodOf({ interval }, deps.now())
  const grouping = groupingOf(groupLimit.limit)
  const found = await findTopValues(deps.db.query, {
    accounts: groupAccountPrefix(groupLimit.guardrail.id, grouping),
    period,
    grouping,
    keyHash,
    maxGroups,
  })
  // Without values, the account of the empty value gives the status of an unused limit.
  const values = found.length > 0 ? found : [null]
  return addStatuses(
    deps,
    values.map((value) => ({ value, budget: createGroupBudget(groupLimit, value ?? '') })),
  )
}

type Search = { accounts: string; period: number; grouping: Grouping; keyHash: string | undefined; maxGroups: number }

async function findTopValues(
  query: Query,
  { accounts, period, grouping, keyHash, maxGroups }: Search,
): Promise<string[]> {
  const value = sql<string>`substr(budget, length(${accounts}) + 1)`
  // Postgres can find the literal prefix in the index. `substr` compares the rest, which can contain wildcards of `like`.
  const { rows } = await sql<{ value: string }>`
    select ${value} as value from budget_periods
     where budget like 'guardrail:%'
       and substr(budget, 1, length(${accounts})) = ${accounts}
       and period = ${period}
       ${keyHash === undefined ? sql`` : sql`and exists (${usedByKey(keyHash, grouping, value)})`}
     order by spent_pico desc, budget
     limit ${maxGroups}`.execute(query)
  return rows.map((row) => row.value)
}

/** The requests of a key in a group. */
function usedByKey(keyHash: string, grouping: Grouping, value: ReturnType<typeof sql<string>>) {
  if (grouping.by === 'session')
    return sql`select 1 from generations where session_id = ${value} and key_hash = ${keyHash}`
  return sql`
    select 1 from request_tags inner join generations on generations.id = request_tags.generation_id
     where request_tags.name = ${grouping.name} and request_tags.value = ${value}
       and generations.key_hash = ${keyHash}`
}
