import { toPicoUsd } from '#platform/core/pico-usd.ts'
import { accountId } from '#spend/budgets/account-id.ts'
import type { Budget, PersistentBudget, Spender } from '#spend/budgets/budget.ts'
import { type Grouping, groupValues, type RequestGroups } from '#spend/ledger/request-group.ts'
import type { GuardrailRecord } from '../guardrail.ts'
import type { GroupLimit } from './policy.ts'

/** A guardrail, and whether it is the default of its workspace, which applies to all keys and members. */
export type AppliedGuardrail = { guardrail: GuardrailRecord; isDefault: boolean }

/** The limit of a guardrail for one member or key; undefined without a limit. */
export function createGuardrailBudget(
  { guardrail: { id, workspaceId, createdAt, policy }, isDefault }: AppliedGuardrail,
  spender: Spender,
): PersistentBudget | undefined {
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
export type EffectiveGroupLimit = AppliedGuardrail & { limit: GroupLimit }

/** A limit by tag always has the name of the tag. */
export const groupingOf = ({ by, tag_name }: Pick<GroupLimit, 'by' | 'tag_name'>): Grouping =>
  by === 'tag' ? { by, name: tag_name ?? '' } : { by: 'session' }

export function groupLimitsOf({ guardrail, isDefault }: AppliedGuardrail): EffectiveGroupLimit[] {
  return (guardrail.policy.group_limits ?? []).map((limit) => ({ guardrail, isDefault, limit }))
}

/** The limit of one session or tag value. */
export function createGroupBudget(
  { guardrail, isDefault, limit }: EffectiveGroupLimit,
  value: string,
): PersistentBudget {
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
export function createGroupBudgets(limits: readonly EffectiveGroupLimit[], request: RequestGroups): Budget[] {
  return limits.flatMap((groupLimit) =>
    groupValues(groupingOf(groupLimit.limit), request).map((value) => createGroupBudget(groupLimit, value)),
  )
}
