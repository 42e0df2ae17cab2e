import { type BudgetLimitName, budgetExceededMessage, type TurnBudget } from '#interns/contract/turn-budget.ts'
import { WorkClock } from './work-clock.ts'

/** The limits of a run that its daemon can check: the working time, and the cost that its agent reports. */
export class RunBudget {
  readonly #budget: TurnBudget
  readonly #clock: WorkClock

  constructor(budget: TurnBudget, monotonicNow: () => number) {
    this.#budget = budget
    this.#clock = new WorkClock(monotonicNow)
  }

  /** Starts or pauses the clock of the working time. */
  setWorking(isWorking: boolean): void {
    this.#clock.setWorking(isWorking)
  }

  get hasTimeLimit(): boolean {
    return this.#budget.seconds !== undefined
  }

  /** The time of the monotonic clock at which the working time ends; undefined without a limit, or while the clock is paused. */
  timeLimitAt(): number | undefined {
    const { seconds } = this.#budget
    return seconds === undefined ? undefined : this.#clock.timeWhenReached(1000 * seconds)
  }

  /** Returns the name of the cost limit if the cost has reached it. */
  findReachedCostLimit(costUsd: number | undefined): BudgetLimitName | undefined {
    const { costUsd: maxUsd, costOf: costLimitName } = this.#budget
    return costUsd !== undefined && maxUsd !== undefined && costUsd >= maxUsd ? costLimitName : undefined
  }

  /** The message for a run that a limit ended. @param neededUsd the maximum cost of the request that the budget refused. */
  limitMessage(limitName: BudgetLimitName, neededUsd?: number): string {
    return budgetExceededMessage(limitName, this.#budget, neededUsd)
  }
}
