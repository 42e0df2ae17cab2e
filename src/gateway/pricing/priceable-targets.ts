import type { Endpoint } from '#catalogue/index/model.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Target } from '../plan/plan.ts'
import type { Bill } from './bill.ts'

/**
 * The endpoints at which all that a request may have billed can be priced, of those that a limit counts; where none
 * does, all. @throws Fault `forbidden` that names what cannot be priced when no endpoint is left.
 */
export function priceableTargets(
  targets: Target[],
  billOf: (target: Target) => Bill | undefined,
  counts: (endpoint: Endpoint) => boolean,
): Target[] {
  let first: { target: Target; bill: Bill } | undefined
  const kept = targets.filter((target) => {
    const bill = counts(target.endpoint) ? billOf(target) : undefined
    if (!bill || (bill.unpriced.length === 0 && bill.unbounded.length === 0)) return true
    first ??= { target, bill }
    return false
  })
  if (kept.length === 0 && first) throw unpriceable(first.target, first.bill)
  return kept
}

function unpriceable({ endpoint }: Target, { unpriced, unbounded }: Bill): Fault {
  const missing = unpriced.map(({ asked, price }) => `${asked} has no price at ${endpoint.provider} (prices.${price})`)
  const open = unbounded.map((field) => `${field} must say how often the provider may run it`)
  return new Fault(
    'forbidden',
    `This request cannot be priced: ${[...missing, ...open].join('; ')}. While a spending limit holds, only what can be priced is sent: leave it out, or have the operator add the price to the catalogue.`,
    { metadata: { rule: 'limit_usd', unpriced: unpriced.map(({ price }) => price), unbounded: [...unbounded] } },
  )
}
