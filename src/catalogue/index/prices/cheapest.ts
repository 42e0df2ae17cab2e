import type { Endpoint, Model } from '../model.ts'
import { blendPrices, compareExact, type ExactDecimal } from './exact-decimal.ts'
import { parsePrice } from './price-scale.ts'

/**
 * Returns the endpoint that represents a model. Its price is the price of the model in lists and sorts, and its limits are
 * returned as `top_provider`. It is the cheapest for three prompt tokens and one completion token, a ratio by which prices are
 * often compared; on a tie, the first.
 */
export function cheapestEndpoint(model: Model): { endpoint: Endpoint; price: ExactDecimal } {
  const [first, ...others] = model.endpoints.map((endpoint) => ({ endpoint, price: blendedPriceOf(endpoint) }))
  if (!first) throw new Error(`model ${model.id} has no endpoint`)
  return others.reduce((best, other) => (compareExact(other.price, best.price) < 0 ? other : best), first)
}

function blendedPriceOf({ prices }: Endpoint): ExactDecimal {
  return blendPrices(parsePrice(prices.prompt), parsePrice(prices.completion))
}
