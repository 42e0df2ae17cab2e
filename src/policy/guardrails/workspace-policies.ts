import type { Db } from '#platform/db/db.ts'
import type { PersistentBudget } from '#spend/budgets/budget.ts'
import { toBudget } from '#spend/budgets/pooled/pooled-budget.ts'
import { findBudgetsOfWorkspace } from '#spend/budgets/pooled/pooled-budget-rows.ts'
import {
  type AppliedGuardrail,
  createGuardrailBudget,
  type EffectiveGroupLimit,
  groupLimitsOf,
} from './decide/guardrail-budget.ts'
import type { GuardrailRecord } from './guardrail.ts'
import { toGuardrailRecord } from './guardrail-rows.ts'

type WorkspacePoliciesSubject = { userId: string; keyHash: string }

/** The guardrails and limits that apply to the requests of one key. */
export type EffectivePolicies = {
  /** The guardrails of the workspace, the member and the key. A change of the workspace's policies replaces the list. */
  guardrails: readonly GuardrailRecord[]
  /** The limits that count the key's spending, in the order in which they are checked, without the key's own limit. */
  budgets: readonly PersistentBudget[]
  /** The limits for each session or tag value. They are checked after `budgets`. */
  groupLimits: readonly EffectiveGroupLimit[]
}

/** The maximum number of cached pairs of a member and a key. A workspace can have any number of keys. */
const maxCached = 10_000

export async function readWorkspacePolicies(
  deps: { db: Pick<Db, 'query'> },
  workspaceId: string,
): Promise<WorkspacePolicies> {
  const { query } = deps.db
  const [workspace, guardrails, assignments, budgetRows] = await Promise.all([
    query.selectFrom('workspaces').where('id', '=', workspaceId).select('default_guardrail_id').executeTakeFirst(),
    query.selectFrom('guardrails').where('workspace_id', '=', workspaceId).selectAll().execute(),
    query
      .selectFrom('guardrail_assignments')
      .where('workspace_id', '=', workspaceId)
      .select(['guardrail_id', 'target_kind', 'target_id'])
      .execute(),
    findBudgetsOfWorkspace(query, workspaceId),
  ])
  const byId = new Map(guardrails.map((row) => [row.id, toGuardrailRecord(row)]))
  return new WorkspacePolicies(
    byId.get(workspace?.default_guardrail_id ?? ''),
    new Map(assignments.map((row) => [`${row.target_kind} ${row.target_id}`, byId.get(row.guardrail_id)])),
    budgetRows.map(toBudget),
  )
}

/** All guardrails and budgets of a workspace, by the keys and members they apply to. */
class WorkspacePolicies {
  /** Undefined while the default guardrail was never changed, because it has no rules yet. */
  readonly #defaultGuardrail: GuardrailRecord | undefined
  /**
   * The guardrails of keys and members, by `key <hash>` and `member <user id>`. Undefined for a guardrail that was deleted between the
   * queries.
   */
  readonly #assignedGuardrails: ReadonlyMap<string, GuardrailRecord | undefined>
  readonly #workspaceBudgets: readonly PersistentBudget[]
  readonly #policiesBySubject = new Map<string, EffectivePolicies>()
  /** Lists by the ids in them. Callers with equal guardrails share one list, so its filters are compiled once. */
  readonly #guardrailLists = new Map<string, readonly GuardrailRecord[]>()

  constructor(
    defaultGuardrail: GuardrailRecord | undefined,
    assignedGuardrails: ReadonlyMap<string, GuardrailRecord | undefined>,
    workspaceBudgets: readonly PersistentBudget[],
  ) {
    this.#defaultGuardrail = defaultGuardrail
    this.#assignedGuardrails = assignedGuardrails
    this.#workspaceBudgets = workspaceBudgets
  }

  policiesOf(subject: WorkspacePoliciesSubject): EffectivePolicies {
    const cacheKey = `${subject.userId} ${subject.keyHash}`
    const cachedPolicies = this.#policiesBySubject.get(cacheKey)
    if (cachedPolicies) return cachedPolicies
    const policies = this.#findPolicies(subject)
    if (this.#policiesBySubject.size >= maxCached) this.#policiesBySubject.clear()
    this.#policiesBySubject.set(cacheKey, policies)
    return policies
  }

  #applied(guardrail: GuardrailRecord): AppliedGuardrail {
    return { guardrail, isDefault: guardrail === this.#defaultGuardrail }
  }

  #findPolicies({ userId, keyHash }: WorkspacePoliciesSubject): EffectivePolicies {
    const defaultGuardrail = this.#defaultGuardrail
    const memberGuardrail = this.#assignedGuardrails.get(`member ${userId}`)
    const keyGuardrail = this.#assignedGuardrails.get(`key ${keyHash}`)
    const guardrails = [
      ...new Set([defaultGuardrail, memberGuardrail, keyGuardrail].filter((guardrail) => guardrail !== undefined)),
    ]
    const member = { kind: 'member', userId } as const
    const key = { kind: 'key', hash: keyHash } as const
    const budgetOf = (guardrail: GuardrailRecord | undefined, spender: typeof member | typeof key) =>
      guardrail && createGuardrailBudget(this.#applied(guardrail), spender)
    const guardrailBudgets = [
      budgetOf(defaultGuardrail, member),
      budgetOf(defaultGuardrail, key),
      budgetOf(memberGuardrail, member),
      budgetOf(keyGuardrail, key),
    ].filter((budget) => budget !== undefined)
    return {
      guardrails: this.#guardrailLists.getOrInsertComputed(guardrails.map(({ id }) => id).join(' '), () => guardrails),
      budgets: [...this.#workspaceBudgets, ...uniqueBudgets(guardrailBudgets)],
      groupLimits: guardrails.flatMap((guardrail) => groupLimitsOf(this.#applied(guardrail))),
    }
  }
}

/** The default guardrail of a workspace may also be assigned to a member or key. It counts once. */
const uniqueBudgets = (budgets: PersistentBudget[]) => [
  ...new Map(budgets.map((budget) => [budget.id, budget])).values(),
]
