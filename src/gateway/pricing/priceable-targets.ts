import type { Endpoint } from '#catalogue/index/model.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Target } from '../plan/plan.ts'
import type { Bill } from './bill.ts'

/**
 * The targets at which everything that a limit counts has a price.
 * @param counts whether a limit counts requests to the endpoint.
 * @throws Fault `forbidden` that names the missing prices if no target remains.
 */
export function priceableTargets(
  targets: Target[],
  computeBill: (target: Target) => Bill | undefined,
  counts: (endpoint: Endpoint) => boolean,
): Target[] {
  let firstUnpriced: { target: Target; bill: Bill } | undefined
  const priceable = targets.filter((target) => {
    const bill = counts(target.endpoint) ? computeBill(target) : undefined
    if (!bill || (bill.unpriced.length === 0 && bill.unbounded.length === 0)) return true
    firstUnpriced ??= { target, bill }
    return false
  })
  if (priceable.length === 0 && firstUnpriced) throw unpriceable(firstUnpriced.target, firstUnpriced.bill)
  return priceable
}

function unpriceable({ endpoint }: Target, { unpriced, unbounded }: Bill): Fault {
  const missing = unpriced.map(
    ({ requestedBy, price }) => `${requestedBy} has no price at ${endpoint.provider} (prices.${price})`,
  )
  const unboundedReasons = unbounded.map((field) => `${field} must limit how often the provider runs it`)
  return new Fault(
    'forbidden',
    `This request cannot be priced: ${[...missing, ...unboundedReasons].join('; ')}. A request under a spending limit needs a price for everything: omit it, or ask the operator to add the price to the catalogue.`,
    { metadata: { rule: 'limit_usd', unpriced: unpriced.map(({ price }) => price), unbounded: [...unbounded] } },
  )
}
