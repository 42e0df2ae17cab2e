import type { Endpoint } from '#catalogue/index/model.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Target } from '../../plan/plan.ts'
import type { BodiesWithProtocol } from '../../pricing/extra-usage-bound.ts'
import { highestCost } from '../../pricing/highest-cost.ts'
import { computeUsageBound, type ProtocolTraits } from './usage-bound.ts'

/** The highest possible cost of a request over all targets. It is reserved until the real cost is known. */
export function worstCaseCost(
  request: BodiesWithProtocol,
  targets: readonly Target[],
  protocolOf: (endpoint: Endpoint) => ProtocolTraits,
): PicoUsd {
  let highest = 0n
  for (const target of targets) {
    const { prompt, completion, extraUsageBound } = computeUsageBound(request, target, protocolOf(target.endpoint))
    const cost = highestCost(target.endpoint.prices, prompt, completion, extraUsageBound)
    if (cost > highest) highest = cost
  }
  return highest
}
