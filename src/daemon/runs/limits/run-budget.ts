import { type BudgetPart, spentMessage, type TurnBudget } from '#interns/contract/turn-budget.ts'
import { createWorkClock } from './work-clock.ts'

/** The limits of a run that its daemon can check: the working time, and the cost that its agent reports. */
export class RunBudget {
  readonly #budget: TurnBudget
  readonly #clock: ReturnType<typeof createWorkClock>

  constructor(budget: TurnBudget, elapsed: () => number) {
    this.#budget = budget
    this.#clock = createWorkClock(elapsed)
  }

  /** Starts or pauses the clock of the working time. */
  setWorking(isWorking: boolean): void {
    this.#clock.setWorking(isWorking)
  }

  get limitsTime(): boolean {
    return this.#budget.seconds !== undefined
  }

  /** When the working time ends; undefined without a limit, or while the clock is paused. */
  timeLimitAt(): number | undefined {
    const { seconds } = this.#budget
    return seconds === undefined ? undefined : this.#clock.reachedAt(1000 * seconds)
  }

  /** The limit that a cost has reached. */
  exceededBy(costUsd: number | undefined): BudgetPart | undefined {
    const { costUsd: maxUsd, costOf } = this.#budget
    return costUsd !== undefined && maxUsd !== undefined && costUsd >= maxUsd ? costOf : undefined
  }

  /** @param neededUsd the maximum cost of the request that the budget refused. */
  message(part: BudgetPart, neededUsd?: number): string {
    return spentMessage(part, this.#budget, neededUsd)
  }
}
