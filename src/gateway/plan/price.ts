import type { Prices, Usd } from '#catalogue/index/model.ts'

/**
 * USD per million tokens, to be compared with what somebody wrote: rounded once, so that 0.000000038 is 0.038. A product
 * would be 0.038000000000000006. Money that is paid is never a float.
 */
export function pricePerMillion(price: Usd): number {
  return Number(`${price}e6`)
}

/** One figure for what an endpoint costs, for weighing only: prompt and completion three to one, in USD per million tokens. */
export function weightedPrice(prices: Prices): number {
  return ((3 * Number(prices.prompt) + Number(prices.completion)) / 4) * 1e6
}
