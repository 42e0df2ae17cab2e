import type { Endpoint } from '#catalogue/index/model.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Target } from '../../plan/plan.ts'
import type { Forms } from '../../pricing/bill.ts'
import { highestCost } from '../../pricing/highest-cost.ts'
import { type ProtocolTraits, usageBoundOf } from './usage-bound.ts'

/** The most a request may cost, by its dearest endpoint: what is set aside for it until it is known. */
export function worstCase(
  asked: Forms,
  targets: readonly Target[],
  protocolOf: (endpoint: Endpoint) => ProtocolTraits,
): PicoUsd {
  let most = 0n
  for (const target of targets) {
    const { prompt, completion, bill } = usageBoundOf(asked, target, protocolOf(target.endpoint))
    const cost = highestCost(target.endpoint.prices, prompt, completion, bill)
    if (cost > most) most = cost
  }
  return most
}
