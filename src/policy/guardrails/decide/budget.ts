import { limitOf, type Spender } from '#spend/budgets/budget.ts'
import type { LastingBudget } from '#spend/budgets/standings.ts'
import type { GuardrailRecord } from '../guardrail.ts'

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
  const name = spender.kind === 'member' ? `member:${spender.userId}` : `key:${spender.hash}`
  return {
    id: `guardrail:${id}:${name}`,
    subject: { kind: 'guardrail', id, workspaceId, createdAt, spender, isDefault },
    limit: limitOf(policy.limit_usd),
    interval: policy.reset_interval,
    includesByok: policy.include_byok_in_budgets,
  }
}
