import type { KeyBudget } from '../../api/types.ts'
import { exactMoney } from '../../format/money.ts'
import { relativeTime } from '../../format/time.ts'

export type BudgetInterval = 'daily' | 'weekly' | 'monthly' | 'lifetime'

/** The intervals of budgets, shortest first. */
export const budgetIntervals: readonly BudgetInterval[] = ['daily', 'weekly', 'monthly', 'lifetime']

const layerNames: Record<KeyBudget['layer'], string> = {
  organization: 'Organization',
  workspace: 'Workspace',
  workspace_default_member: 'Default guardrail, for the owner’s keys together',
  workspace_default_key: 'Default guardrail, for this key',
  member: 'Guardrail of the owner',
  api_key: 'Guardrail of this key',
  session: 'Each session',
  tag: 'Each tag value',
  key_limit: 'Limit of this key',
}

type NamedBudget = Pick<KeyBudget, 'layer' | 'reset_interval'> & Partial<Pick<KeyBudget, 'tag_name' | 'group_value'>>

/** The name of a budget that holds for a key: what sets it, and its interval. */
export const keyBudgetName = (budget: NamedBudget) => `${ownerName(budget)}, ${budget.reset_interval ?? 'lifetime'}`

function ownerName({ layer, tag_name, group_value }: NamedBudget): string {
  if (layer === 'session') return group_value == null ? layerNames.session : `Session ${group_value}`
  if (layer !== 'tag') return layerNames[layer]
  return group_value == null ? `Each value of the tag ${tag_name}` : `Tag ${tag_name}: ${group_value}`
}

/** Explains that requests are refused because a budget is exhausted. */
export function exhaustedNote(
  budget: NamedBudget & Pick<KeyBudget, 'limit_usd' | 'resets_at'>,
  now = new Date(),
): string {
  const reset =
    budget.resets_at === null ? 'It never resets.' : `It resets ${relativeTime(new Date(budget.resets_at), now)}.`
  return `Requests are refused: ${keyBudgetName(budget)}, of ${exactMoney(budget.limit_usd)} is used up. ${reset}`
}
