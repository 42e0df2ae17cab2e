import type { Db } from '#platform/db/db.ts'
import type { LastingBudget } from '#spend/budgets/budget-status.ts'
import { budgetOf } from '#spend/budgets/pooled/pooled-budget.ts'
import { budgetsOfWorkspace } from '#spend/budgets/pooled/rows.ts'
import { type GroupLimitInForce, groupLimitsOf, guardrailBudget } from './decide/budget.ts'
import type { GuardrailRecord } from './guardrail.ts'
import { guardrailOf } from './rows.ts'

type WorkspacePoliciesSubject = { userId: string; keyHash: string }

/** The guardrails and limits that apply to the requests of one key. */
export type PoliciesInForce = {
  /** The guardrails of the workspace, the member and the key. After any change of the workspace's policies this is another list. */
  guardrails: readonly GuardrailRecord[]
  /** The limits that count its spending, in the order in which they are checked; the key's own limit is not among them. */
  budgets: readonly LastingBudget[]
  /** The limits for each session or tag value. They are checked after `budgets`. */
  groupLimits: readonly GroupLimitInForce[]
}

/** The most keys and members whose policies are cached. A workspace can have any number of keys. */
const maxCached = 10_000

/** All guardrails and budgets of a workspace, by the keys and members they apply to. */
export type WorkspacePolicies = { of: (subject: WorkspacePoliciesSubject) => PoliciesInForce }

export async function readWorkspacePolicies(
  deps: { db: Pick<Db, 'query'> },
  workspaceId: string,
): Promise<WorkspacePolicies> {
  const { query } = deps.db
  const [workspace, guardrails, assignments, pooled] = await Promise.all([
    query.selectFrom('workspaces').where('id', '=', workspaceId).select('default_guardrail_id').executeTakeFirst(),
    query.selectFrom('guardrails').where('workspace_id', '=', workspaceId).selectAll().execute(),
    query
      .selectFrom('guardrail_assignments')
      .where('workspace_id', '=', workspaceId)
      .select(['guardrail_id', 'target_kind', 'target_id'])
      .execute(),
    budgetsOfWorkspace(query, workspaceId),
  ])
  const byId = new Map(guardrails.map((row) => [row.id, guardrailOf(row)]))
  const assigned = new Map(
    assignments.map((row) => [`${row.target_kind} ${row.target_id}`, byId.get(row.guardrail_id)]),
  )
  const standard = byId.get(workspace?.default_guardrail_id ?? '')
  const shared = pooled.map(budgetOf)
  const cached = new Map<string, PoliciesInForce>()
  /** Lists by the ids in them. Callers with equal guardrails share one list, so its filters are compiled once. */
  const lists = new Map<string, readonly GuardrailRecord[]>()

  function inForce({ userId, keyHash }: WorkspacePoliciesSubject): PoliciesInForce {
    const [ofMember, ofKey] = [assigned.get(`member ${userId}`), assigned.get(`key ${keyHash}`)]
    const all = [...new Set([standard, ofMember, ofKey].filter((guardrail) => guardrail !== undefined))]
    const member = { kind: 'member', userId } as const
    const key = { kind: 'key', hash: keyHash } as const
    const limits = [
      standard && guardrailBudget(standard, member, true),
      standard && guardrailBudget(standard, key, true),
      ofMember && guardrailBudget(ofMember, member, ofMember === standard),
      ofKey && guardrailBudget(ofKey, key, ofKey === standard),
    ].filter((budget) => budget !== undefined)
    return {
      guardrails: lists.getOrInsertComputed(all.map(({ id }) => id).join(' '), () => all),
      budgets: [...shared, ...distinct(limits)],
      groupLimits: all.flatMap((guardrail) => groupLimitsOf(guardrail, guardrail === standard)),
    }
  }

  return {
    of(subject) {
      const name = `${subject.userId} ${subject.keyHash}`
      const found = cached.get(name)
      if (found) return found
      const policies = inForce(subject)
      if (cached.size >= maxCached) cached.clear()
      cached.set(name, policies)
      return policies
    },
  }
}

/** The default of a workspace may be assigned to a member or key, too. It counts once. */
const distinct = (budgets: LastingBudget[]) => [...new Map(budgets.map((budget) => [budget.id, budget])).values()]
