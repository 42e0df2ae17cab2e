import type { Endpoint } from '#catalogue/index/model.ts'
import type { Now } from '#platform/core/clock.ts'
import { taskOf } from '#platform/core/vocabulary.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import type { Budget } from '#spend/budgets/budget.ts'
import type { BudgetReserver } from '#spend/budgets/budgets.ts'
import type { RequestGroups } from '#spend/ledger/request-group.ts'
import type { Target } from '../plan/plan.ts'
import { type BodiesWithProtocol, computeExtraUsageBound } from '../pricing/extra-usage-bound.ts'
import { priceableTargets } from '../pricing/priceable-targets.ts'
import { findProviderProtocol } from '../providers/protocols.ts'
import type { Catalogue, ProviderLookup } from '../request/catalogue-lookup.ts'
import { RequestReservation } from './request-reservation.ts'
import type { TurnLimits } from './turn-limits.ts'

export type SpendingDeps = { catalogue: Catalogue<ProviderLookup>; budgets: BudgetReserver; now: Now }

/** The limits that count the cost of one request. */
type RequestLimits = {
  groups: RequestGroups
  budgets: readonly Budget[]
  guardrails: readonly GuardrailRecord[]
  turns: TurnLimits | undefined
}

/** Knows the endpoints that are called with the workspace's own credential. */
export type CredentialSource = { isByok: (endpoint: Endpoint) => boolean }

/** The spending limits of one request. Without limits, every method returns at once. */
export class SpendingLimits {
  readonly budgets: readonly Budget[]
  /** The session and the tags of the request. */
  readonly groups: RequestGroups
  readonly #deps: SpendingDeps
  readonly #limits: RequestLimits
  readonly #request: BodiesWithProtocol

  /** @param request the request as it will be sent. */
  constructor(deps: SpendingDeps, limits: RequestLimits, request: BodiesWithProtocol) {
    this.budgets = limits.budgets
    this.groups = limits.groups
    this.#deps = deps
    this.#limits = limits
    this.#request = request
  }

  /**
   * Returns the endpoints at which everything that the limits count has a price.
   * @throws Fault `forbidden` with what has no price, if no endpoint remains.
   */
  excludeUnpriced(targets: Target[], access: CredentialSource): Target[] {
    if (this.budgets.length === 0) return targets
    const isCounted = (endpoint: Endpoint) =>
      this.budgets.some((budget) => budget.includesByok || !access.isByok(endpoint))
    return priceableTargets(
      targets,
      (target) => computeExtraUsageBound(this.#request, target, this.#protocolOf(target.endpoint)),
      isCounted,
    )
  }

  /** The reservation of the request, which reserves nothing yet. */
  createReservation(access: CredentialSource): RequestReservation {
    const { budgets, guardrails, turns } = this.#limits
    const protocolOf = (endpoint: Endpoint) => this.#protocolOf(endpoint)
    return new RequestReservation(this.#deps, { budgets, guardrails, turns, access, protocolOf }, this.#request)
  }

  #protocolOf(endpoint: Endpoint) {
    const provider = this.#deps.catalogue.current().findProvider(endpoint.provider)
    return findProviderProtocol(endpoint, provider, taskOf(this.#request.protocol))
  }
}
