import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Budget } from '#spend/budgets/budget.ts'

/** The remaining budgets of an intern's running turns and their sessions. */
export type TurnLimits = {
  budgets: readonly Budget[]
  /**
   * Called if a limit is too small for a request that may cost `need`. Ends the turn if the limit belongs to one, before
   * its agent reports a failure. @throws Fault if the turn has ended already; another turn can retry.
   */
  onRefusal: (budget: Budget, maxCost: PicoUsd) => Promise<void>
}
