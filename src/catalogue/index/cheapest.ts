import { blended, compareExact, type Exact } from './exact.ts'
import type { Endpoint, Model } from './model.ts'
import { exactPrice } from './price-scale.ts'

/**
 * The endpoint that speaks for a model where one has to: its price is the model's price, in the list and in the price
 * sorts, and its limits are those of `top_provider`. It is the one cheapest by three parts prompt and one part
 * completion; of equals, the one named first.
 */
export function cheapestEndpoint(model: Model): { endpoint: Endpoint; price: Exact } {
  const [first, ...others] = model.endpoints.map((endpoint) => ({ endpoint, price: blendedPrice(endpoint) }))
  if (!first) throw new Error(`model ${model.id} has no endpoint`)
  return others.reduce((best, other) => (compareExact(other.price, best.price) < 0 ? other : best), first)
}

function blendedPrice({ prices }: Endpoint): Exact {
  return blended(exactPrice(prices.prompt), exactPrice(prices.completion))
}
