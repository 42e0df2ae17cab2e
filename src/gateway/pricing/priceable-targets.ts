import type { Endpoint } from '#catalogue/index/model.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Target } from '../plan/plan.ts'
import type { ExtraUsageBound } from './extra-usage-bound.ts'

/**
 * The targets at which everything that spending limits count has a price.
 * @param isLimited whether a spending limit counts requests to an endpoint.
 * @throws Fault `forbidden` that names the missing prices if no target remains.
 */
export function priceableTargets(
  targets: Target[],
  boundExtraUsage: (target: Target) => ExtraUsageBound | undefined,
  isLimited: (endpoint: Endpoint) => boolean,
): Target[] {
  let firstUnpriced: { target: Target; bound: ExtraUsageBound } | undefined
  const priceable = targets.filter((target) => {
    const bound = isLimited(target.endpoint) ? boundExtraUsage(target) : undefined
    if (!bound || (bound.unpriced.length === 0 && bound.missingCallLimits.length === 0)) return true
    firstUnpriced ??= { target, bound }
    return false
  })
  if (priceable.length === 0 && firstUnpriced) throw unpriceableFault(firstUnpriced.target, firstUnpriced.bound)
  return priceable
}

function unpriceableFault({ endpoint }: Target, { unpriced, missingCallLimits }: ExtraUsageBound): Fault {
  const missing = unpriced.map(
    ({ requestedBy, price }) => `${requestedBy} has no price at ${endpoint.provider} (prices.${price})`,
  )
  const missingLimitReasons = missingCallLimits.map((field) => `${field} must limit how often the provider runs it`)
  return new Fault(
    'forbidden',
    `This request cannot be priced: ${[...missing, ...missingLimitReasons].join('; ')}. A request under a spending limit needs a price for everything: omit it, or ask the operator to add the price to the catalogue.`,
    {
      metadata: { rule: 'limit_usd', unpriced: unpriced.map(({ price }) => price), unbounded: [...missingCallLimits] },
    },
  )
}
