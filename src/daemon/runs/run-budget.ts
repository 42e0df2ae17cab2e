import { type BudgetPart, spentMessage, type TurnBudget } from '#interns/contract/turn-budget.ts'
import { workClock } from './work-clock.ts'

/** What a run may take, as far as its daemon can tell: the time for which it works, and what its agent tells that it costs. */
export class RunBudget {
  readonly #budget: TurnBudget
  readonly #clock: ReturnType<typeof workClock>

  constructor(budget: TurnBudget, now: () => number) {
    this.#budget = budget
    this.#clock = workClock(now)
  }

  /** Whether its agent is at work from now on. */
  runs(isWorking: boolean): void {
    this.#clock.runs(isWorking)
  }

  get limitsTime(): boolean {
    return this.#budget.seconds !== undefined
  }

  /** When it will have worked for as long as it may; undefined where that is not limited, or while it does not work. */
  timeIsUpAt(): number | undefined {
    const { seconds } = this.#budget
    return seconds === undefined ? undefined : this.#clock.reaches(1000 * seconds)
  }

  /** The part of it that this cost has spent. */
  spentBy(costUsd: number | undefined): BudgetPart | undefined {
    const { costUsd: most, costOf } = this.#budget
    return costUsd !== undefined && most !== undefined && costUsd >= most ? costOf : undefined
  }

  /** `neededUsd`: what a request may cost that it left no room for. */
  message(part: BudgetPart, neededUsd?: number): string {
    return spentMessage(part, this.#budget, neededUsd)
  }
}
