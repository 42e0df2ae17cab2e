// Loaded by daemons, so without Zod, which needs 12 MB of memory in each.

/** The limits of a turn, by their names in the API. */
export const budgetLimitNames = ['max_cost_usd', 'max_seconds', 'session_max_cost_usd'] as const
export type BudgetLimitName = (typeof budgetLimitNames)[number]

export type CostLimitName = Exclude<BudgetLimitName, 'max_seconds'>

/**
 * The limits of one turn. `costUsd` is the lower one of the limit of the turn and the remaining budget of its session. `costOf` is
 * the name of that one. `id` is the id of its account. `sessionUsd` is the limit of all turns of its session.
 */
export type TurnBudget = {
  id?: string
  costUsd?: number
  costOf?: CostLimitName
  sessionUsd?: number
  seconds?: number
}

/** Whether a turn has a limit. Every turn has an account; most have nothing else. */
export const isLimited = ({ costUsd, seconds }: TurnBudget) => costUsd !== undefined || seconds !== undefined

/** Why a turn was ended, for people. `neededUsd` is the maximum cost of the request that the budget refused. */
export function budgetExceededMessage(limitName: BudgetLimitName, budget: TurnBudget, neededUsd?: number): string {
  if (limitName === 'max_seconds')
    return `The turn reached its limit of ${budget.seconds ?? 0} seconds of work (max_seconds).`
  const limit = describeCostLimit(limitName, budget)
  if (neededUsd === undefined) return `The turn reached ${limit} (${limitName}).`
  return `The next request of the turn can cost up to ${formatUsd(neededUsd)} USD, which would exceed ${limit} (${limitName}).`
}

function describeCostLimit(limitName: CostLimitName, { costUsd = 0, costOf, sessionUsd = 0 }: TurnBudget): string {
  // Other turns of the session have reached its limit.
  if (limitName !== costOf) return `the limit of ${formatUsd(sessionUsd)} USD of its session`
  if (limitName === 'max_cost_usd') return `its limit of ${formatUsd(costUsd)} USD`
  return `the remaining ${formatUsd(costUsd)} USD of its session`
}

/** Formats an amount without the error of binary fractions. */
export const formatUsd = (amount: number) => String(Number(amount.toFixed(9)))
