import type { KeyBudget } from '../api/types.ts'
import { exactMoney } from '../format/money.ts'
import { relativeTime } from '../format/time.ts'

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
  key_limit: 'Limit of this key',
}

type NamedBudget = Pick<KeyBudget, 'layer' | 'reset_interval'>

/** The name of a budget that holds for a key: what sets it, and its interval. */
export const keyBudgetName = ({ layer, reset_interval }: NamedBudget) =>
  `${layerNames[layer]}, ${reset_interval ?? 'lifetime'}`

/** Explains that requests are refused because a budget is exhausted. */
export function exhaustedNote(
  budget: NamedBudget & Pick<KeyBudget, 'limit_usd' | 'resets_at'>,
  now = new Date(),
): string {
  const reset =
    budget.resets_at === null ? 'It never resets.' : `It resets ${relativeTime(new Date(budget.resets_at), now)}.`
  return `Requests are refused: ${keyBudgetName(budget)}, of ${exactMoney(budget.limit_usd)} is used up. ${reset}`
}
