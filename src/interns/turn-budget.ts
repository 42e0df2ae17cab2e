// Daemons load this: schemas would cost each of them 12 MB.

/** The part of a budget that ended a turn, by its name in the API. */
export const budgetParts = ['max_cost_usd', 'max_seconds', 'session_max_cost_usd'] as const
export type BudgetPart = (typeof budgetParts)[number]

/** What one turn may take. `costOf`: by which part of the budget it may cost no more. */
export type TurnBudget = { costUsd?: number; costOf?: 'max_cost_usd' | 'session_max_cost_usd'; seconds?: number }

/** Why a turn is over, for people. */
export function spentMessage(part: BudgetPart, { costUsd = 0, seconds = 0 }: TurnBudget): string {
  if (part === 'max_seconds') return `The turn has worked for the ${seconds} seconds that it may take (max_seconds).`
  const whose = part === 'max_cost_usd' ? 'it may cost' : 'were left for its session'
  return `The turn has cost the ${usd(costUsd)} USD that ${whose} (${part}).`
}

/** Without the noise of binary fractions. */
export const usd = (amount: number) => String(Number(amount.toFixed(9)))
