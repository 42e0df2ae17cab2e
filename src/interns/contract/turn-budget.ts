// Loaded by daemons, so without Zod, which needs 12 MB of memory in each.

/** The part of a budget that ended a turn, by its name in the API. */
export const budgetParts = ['max_cost_usd', 'max_seconds', 'session_max_cost_usd'] as const
export type BudgetPart = (typeof budgetParts)[number]

export type CostPart = Exclude<BudgetPart, 'max_seconds'>

/**
 * The limits of one turn. `costOf` names the part of the budget that limits `costUsd`. `id` is the id of its account.
 * `sessionUsd` is the limit of all turns of its session.
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

/** Why a turn was ended, for people. `neededUsd` is the maximum cost of the request that the budget refused. */
export function spentMessage(part: BudgetPart, budget: TurnBudget, neededUsd?: number): string {
  const { costUsd = 0, costOf, sessionUsd = 0, seconds = 0 } = budget
  if (part === 'max_seconds') return `The turn reached its limit of ${seconds} seconds of work (max_seconds).`
  const ofTurn =
    part === 'max_cost_usd'
      ? `its limit of ${formatUsd(costUsd)} USD`
      : `the remaining ${formatUsd(costUsd)} USD of its session`
  const limit = part === costOf ? ofTurn : `the limit of ${formatUsd(sessionUsd)} USD of its session`
  if (neededUsd === undefined) return `The turn reached ${limit} (${part}).`
  return `The next request of the turn can cost up to ${formatUsd(neededUsd)} USD, which would exceed ${limit} (${part}).`
}

/** Formats an amount without the error of binary fractions. */
export const formatUsd = (amount: number) => String(Number(amount.toFixed(9)))
