import type { Endpoint } from '#catalogue/index/model.ts'
import type { Now } from '#platform/core/clock.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import { type Budget, countsCost, type SettledCost } from '#spend/budgets/budget.ts'
import type { BudgetReserver, Reservation } from '#spend/budgets/budgets.ts'
import type { Target } from '../plan/plan.ts'
import type { BodiesWithProtocol } from '../pricing/extra-usage-bound.ts'
import { type PricedRequest, shorterVariants } from './bounds/shorter-variants.ts'
import type { ProtocolTraits } from './bounds/usage-bound.ts'
import { worstCaseCost } from './bounds/worst-case.ts'
import { reserveBudgets } from './budget-reservation.ts'
import type { TurnLimits } from './turn-limits.ts'

type ReservationDeps = { budgets: BudgetReserver; now: Now }

type ReservationTerms = {
  budgets: readonly Budget[]
  guardrails: readonly GuardrailRecord[]
  turns: TurnLimits | undefined
  access: { isByok: (endpoint: Endpoint) => boolean }
  protocolOf: (endpoint: Endpoint) => ProtocolTraits
}

/** The money that is reserved for one request, until it is settled. */
export class RequestReservation {
  readonly #deps: ReservationDeps
  readonly #terms: ReservationTerms
  readonly #original: BodiesWithProtocol
  #request: BodiesWithProtocol
  /** The highest possible cost of `#request`. */
  #maxCost: PicoUsd = 0n
  #reservation: Reservation | undefined
  /** The settlements of failed attempts. They are recorded at the end, with the ledger row that contains their cost. */
  readonly #earlySettlements: { record: () => void }[] = []
  /** The limits that were set after the request was admitted. */
  readonly #laterLimits = new Map<Budget['id'], { budget: Budget; reservation: Reservation }>()
  /** The costs of failed attempts that were settled before the end. */
  readonly #failedCosts: SettledCost[] = []
  #isSettled = false

  constructor(deps: ReservationDeps, terms: ReservationTerms, request: BodiesWithProtocol) {
    this.#deps = deps
    this.#terms = terms
    this.#original = request
    this.#request = request
  }

  /**
   * The request as the reservation covers it. It has a lower token limit than the original if only a shorter response fits
   * the limits of an intern's turn.
   */
  get request(): BodiesWithProtocol {
    return this.#request
  }

  /**
   * Reserves the highest cost at any of the targets. Limits that do not count the workspace's own credentials are
   * skipped if all targets use those.
   * @throws Fault if a limit leaves no room.
   */
  async reserve(targets: readonly Target[]): Promise<void> {
    const { protocolOf, guardrails, turns } = this.#terms
    const budgets = this.#applicableBudgets(targets)
    if (budgets.length === 0) return
    const maxCostOf = (bodies: BodiesWithProtocol) => worstCaseCost(bodies, targets, protocolOf)
    const current: PricedRequest = { request: this.#request, maxCost: maxCostOf(this.#request) }
    this.#maxCost = current.maxCost
    const variants = turns && shorterVariants({ request: this.#original, maxCost: current.maxCost }, maxCostOf)
    const limits = { budgets, guardrails, turns }
    const { reservation, covered } = await reserveBudgets(this.#deps, limits, current, variants)
    this.#reservation = reservation
    this.#request = covered.request
    this.#maxCost = covered.maxCost
  }

  /**
   * Charges failed attempts, releases the rest of the reservation, and reserves again for the remaining targets.
   * @throws Fault if a limit leaves no room.
   */
  async renew(failedCost: SettledCost, remaining: readonly Target[]): Promise<void> {
    const reservation = this.#takeReservation()
    if (reservation) this.#earlySettlements.push(reservation.settleEarly(failedCost))
    this.#failedCosts.push(failedCost)
    await this.reserve(remaining)
  }

  /**
   * Counts the request in limits that were set after it was admitted. They reserve 0 for it, because it already runs.
   */
  addLaterLimits(limits: readonly Budget[]): void {
    if (this.#isSettled) return
    for (const budget of limits)
      this.#laterLimits.getOrInsertComputed(budget.id, () => ({
        budget,
        reservation: this.#deps.budgets.openReservation(budget),
      }))
  }

  /**
   * Charges the request and releases the rest. Called when its record is in the ledger.
   * @param charge undefined if the cost is unknown: then the whole reservation counts as spent.
   */
  settle(charge: SettledCost | undefined): void {
    // All budgets count a charge without BYOK.
    const lastCost = charge ?? { cost: this.#maxCost, byok: false }
    this.#takeReservation()?.settle(lastCost)
    for (const { record } of this.#earlySettlements) record()
    this.#isSettled = true
    for (const { budget, reservation } of this.#laterLimits.values()) {
      const counted = [...this.#failedCosts, lastCost].filter((settled) => countsCost(budget, settled))
      // The sum has only costs that the budget counts, so it is settled like a cost without BYOK.
      reservation.settle({ cost: counted.reduce((sum, { cost }) => sum + cost, 0n), byok: false })
    }
    this.#laterLimits.clear()
  }

  /**
   * The ids of the budgets that count a charge. Stored with the request, so that a later correction of its cost changes the same
   * budgets. @param charge whether the credential was one of the workspace's own (BYOK).
   */
  countingBudgetIds(charge: Pick<SettledCost, 'byok'>): string[] {
    const later = [...this.#laterLimits.values()].map(({ budget }) => budget)
    return [...this.#terms.budgets, ...later].filter((budget) => countsCost(budget, charge)).map(({ id }) => id)
  }

  #applicableBudgets(targets: readonly Target[]): readonly Budget[] {
    const { budgets, access } = this.#terms
    return targets.every(({ endpoint }) => access.isByok(endpoint))
      ? budgets.filter(({ includesByok }) => includesByok)
      : budgets
  }

  /** A budget reservation is settled only once. */
  #takeReservation(): Reservation | undefined {
    const reservation = this.#reservation
    this.#reservation = undefined
    return reservation
  }
}
