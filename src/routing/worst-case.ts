import type { Endpoint } from '#catalogue/model.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import { type Asked, dearest, mostOf } from './most.ts'
import type { Target } from './plan.ts'
import type { Wire } from './wire.ts'

type WireOf = (endpoint: Endpoint) => Pick<Wire, 'answerLimit' | 'mayThink'> | undefined

/** The most a request may cost, by its dearest endpoint: what is set aside for it until it is known. */
export function worstCase(asked: Asked, targets: readonly Target[], wireOf: WireOf): PicoUsd {
  let most = 0n
  for (const { endpoint } of targets) {
    const { prompt, completion } = mostOf(asked, endpoint, wireOf(endpoint))
    const cost = dearest(endpoint.prices, prompt, completion)
    if (cost > most) most = cost
  }
  return most
}
