/**
 * Sums are split at this value into a high and a low half. The halves of nine billion rows of any size still add up.
 */
export const split = 1_000_000_000n

/** Reads the result of `exactSum`. */
export function readSum(text: string): bigint {
  const [high = '0', low = '0'] = text.split(' ')
  return BigInt(high) * split + BigInt(low)
}
