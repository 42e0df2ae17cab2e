import { toPicoUsd } from '#platform/core/pico-usd.ts'
import { accountId } from '#spend/budgets/account-id.ts'
import type { Budget, LastingBudget, Spender } from '#spend/budgets/budget.ts'
import { type Grouping, groupValues, type RequestGroups } from '#spend/ledger/request-group.ts'
import type { GuardrailRecord } from '../guardrail.ts'
import type { GroupLimit } from './policy.ts'

/**
 * The limit of a guardrail for one member or key; undefined without a limit.
 * @param isDefault whether the guardrail is the default of its workspace.
 */
export function guardrailBudget(
  { id, workspaceId, createdAt, policy }: GuardrailRecord,
  spender: Spender,
  isDefault: boolean,
): LastingBudget | undefined {
  if (policy.limit_usd === null) return undefined
  return {
    id: accountId.guardrail(id, spender),
    subject: { kind: 'guardrail', guardrailId: id, workspaceId, createdAt, spender, isDefault },
    limit: toPicoUsd(policy.limit_usd),
    interval: policy.reset_interval,
    includesByok: policy.include_byok_in_budgets,
  }
}

/** A limit for each session or tag value, and the guardrail that has it. */
export type EffectiveGroupLimit = { guardrail: GuardrailRecord; isDefault: boolean; limit: GroupLimit }

export const groupingOf = ({ by, tag_name }: Pick<GroupLimit, 'by' | 'tag_name'>): Grouping =>
  by === 'tag' ? { by, name: tag_name! } : { by: 'session' }

export function groupLimitsOf(guardrail: GuardrailRecord, isDefault: boolean): EffectiveGroupLimit[] {
  return (guardrail.policy.group_limits ?? []).map((limit) => ({ guardrail, isDefault, limit }))
}

/** The limit of one session or tag value. */
export function groupBudget({ guardrail, isDefault, limit }: EffectiveGroupLimit, value: string): LastingBudget {
  const { id, workspaceId, createdAt, policy } = guardrail
  const grouping = groupingOf(limit)
  return {
    id: accountId.group(id, grouping, value),
    subject: { kind: 'group', guardrailId: id, workspaceId, createdAt, isDefault, grouping, value },
    limit: toPicoUsd(limit.limit_usd),
    interval: limit.reset_interval,
    includesByok: policy.include_byok_in_budgets,
  }
}

/** The limits of the session and the tag values of a request. */
export function groupBudgets(limits: readonly EffectiveGroupLimit[], request: RequestGroups): Budget[] {
  return limits.flatMap((groupLimit) =>
    groupValues(groupingOf(groupLimit.limit), request).map((value) => groupBudget(groupLimit, value)),
  )
}
