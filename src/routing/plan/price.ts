import type { Prices, Usd } from '#catalogue/model.ts'

/** USD per million tokens, for comparing and weighing only: money that is paid is never a float. */
export function pricePerMillion(price: Usd): number {
  return Number(price) * 1e6
}

/** One figure for what an endpoint costs: prompt and completion three to one, in USD per million tokens. */
export function weightedPrice(prices: Prices): number {
  return (3 * pricePerMillion(prices.prompt) + pricePerMillion(prices.completion)) / 4
}
