import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Budget } from '#spend/budgets/budget.ts'

/** What an intern's turns that are under way may still cost, and their sessions. */
export type TurnLimits = {
  budgets: readonly Budget[]
  /**
   * A limit leaves no room for a request that may cost `need`. Where it is one of these, its turn is ended, so that its agent
   * does not tell a failure of its own before. @throws Fault when the turn is over: another one may try again.
   */
  refused: (budget: Budget, need: PicoUsd) => Promise<void>
}
