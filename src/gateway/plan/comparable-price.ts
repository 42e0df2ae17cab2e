import type { Prices, Usd } from '#catalogue/index/model.ts'

/**
 * USD per million tokens, for comparison with numbers in requests. `price` has no exponent. Rounded once, so that 0.000000038 becomes 0.038; a
 * product would be 0.038000000000000006. Charged money is never a float.
 */
export function pricePerMillion(price: Usd): number {
  return Number(`${price}e6`)
}

/** The weighted average of the prompt and completion price (3:1) in USD per million tokens, for ranking only: it is rounded. */
export function weightedPrice(prices: Prices): number {
  return ((3 * Number(prices.prompt) + Number(prices.completion)) / 4) * 1e6
}
