import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { SettledCost } from '#spend/budgets/budget.ts'
import type { Generation } from '#spend/ledger/generation.ts'

/** The highest cost of a request's attempts without a response, which their providers can bill. */
export class UnconfirmedLoss {
  #cost: PicoUsd = 0n
  #settledCost: PicoUsd = 0n
  /** Whether the latest lost attempt used a credential of the workspace. */
  #byok = false
  /** Whether lost attempts used credentials of the service and of the workspace. */
  #isMixed = false

  get cost(): PicoUsd {
    return this.#cost
  }

  get byok(): boolean {
    return this.#byok
  }

  add(cost: PicoUsd, byok: boolean): void {
    this.#isMixed ||= this.#cost > 0n && this.#byok !== byok
    this.#cost += cost
    this.#byok = byok
  }

  /** The part that was not taken before, which now counts as settled; undefined if there is none. */
  takeUnsettled(): SettledCost | undefined {
    const cost = this.#cost - this.#settledCost
    if (cost === 0n) return undefined
    this.#settledCost = this.#cost
    return { cost, byok: this.#byok }
  }

  /** The part of a finished request's cost that is not settled yet. */
  unsettledCost({ cost, margin, byok }: Pick<Generation, 'cost' | 'margin' | 'byok'>): SettledCost {
    return { cost: cost + margin - this.#settledCost, byok }
  }

  /**
   * Whether all lost attempts, and the response if there is one, count in the same budgets. Attempts with credentials of the service
   * count in other budgets than attempts with credentials of the workspace (BYOK).
   */
  countsInSameBudgets(responseByok: boolean | undefined): boolean {
    return !this.#isMixed && (this.#cost === 0n || responseByok === undefined || responseByok === this.#byok)
  }
}
