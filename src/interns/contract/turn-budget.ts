// Daemons load this: schemas would cost each of them 12 MB.

/** The part of a budget that ended a turn, by its name in the API. */
export const budgetParts = ['max_cost_usd', 'max_seconds', 'session_max_cost_usd'] as const
export type BudgetPart = (typeof budgetParts)[number]

export type CostPart = Exclude<BudgetPart, 'max_seconds'>

/**
 * What one turn may take. `costOf`: by which part of the budget it may cost no more. `id`: of the account of what it costs.
 * `sessionUsd`: what all turns of its session may cost.
 */
export type TurnBudget = {
  id?: string
  costUsd?: number
  costOf?: CostPart
  sessionUsd?: number
  seconds?: number
}

/** Whether a turn has a limit. Every turn has an account; most have nothing else. */
export const isLimited = ({ costUsd, seconds }: TurnBudget) => costUsd !== undefined || seconds !== undefined

/** Why a turn is over, for people. `neededUsd`: what its next request may cost, where no room is left for that. */
export function spentMessage(part: BudgetPart, budget: TurnBudget, neededUsd?: number): string {
  const { costUsd = 0, costOf, sessionUsd = 0, seconds = 0 } = budget
  if (part === 'max_seconds') return `The turn has worked for the ${seconds} seconds that it may take (max_seconds).`
  const ofTurn = part === 'max_cost_usd' ? 'it may cost' : 'were left for its session'
  const [most, whose] = part === costOf ? [costUsd, ofTurn] : [sessionUsd, 'its session may cost']
  if (neededUsd === undefined) return `The turn has cost the ${usd(most)} USD that ${whose} (${part}).`
  return `The next request of the turn may cost up to ${usd(neededUsd)} USD, more than is left of the ${usd(most)} USD that ${whose} (${part}).`
}

/** Without the noise of binary fractions. */
export const usd = (amount: number) => String(Number(amount.toFixed(9)))
