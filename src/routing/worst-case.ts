import type { Endpoint } from '#catalogue/model.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import type { Forms } from './bill.ts'
import { dearest } from './dearest.ts'
import { mostOf, type Spoken } from './most.ts'
import type { Target } from './plan.ts'

/** The most a request may cost, by its dearest endpoint: what is set aside for it until it is known. */
export function worstCase(asked: Forms, targets: readonly Target[], wireOf: (endpoint: Endpoint) => Spoken): PicoUsd {
  let most = 0n
  for (const target of targets) {
    const { prompt, completion, bill } = mostOf(asked, target, wireOf(target.endpoint))
    const cost = dearest(target.endpoint.prices, prompt, completion, bill)
    if (cost > most) most = cost
  }
  return most
}
