import { blended, compareExact, type Exact } from './exact.ts'
import type { Endpoint, Model } from './model.ts'
import { exactPrice } from './price-scale.ts'

/**
 * The endpoint that represents a model: its price is the model's price in lists and price sorts, and its limits are those
 * of `top_provider`. It is the cheapest one for three parts prompt and one part completion; on a tie, the first.
 */
export function cheapestEndpoint(model: Model): { endpoint: Endpoint; price: Exact } {
  const [first, ...others] = model.endpoints.map((endpoint) => ({ endpoint, price: blendedPrice(endpoint) }))
  if (!first) throw new Error(`model ${model.id} has no endpoint`)
  return others.reduce((best, other) => (compareExact(other.price, best.price) < 0 ? other : best), first)
}

function blendedPrice({ prices }: Endpoint): Exact {
  return blended(exactPrice(prices.prompt), exactPrice(prices.completion))
}
