/**
 * The base at which sums are split into a high and a low half. The halves of nine billion rows do not overflow.
 */
export const sumBase = 1_000_000_000n

/** The result of `exactSum` for a sum of 0. */
export const zeroSum = '0 0'

/** Reads the result of `exactSum` (`exact.ts`): the high and the low half as decimal numbers with a space between, such as `12 345`. */
export function readSum(text: string): bigint {
  const [high = '0', low = '0'] = text.split(' ')
  return BigInt(high) * sumBase + BigInt(low)
}
