/** Delays between attempts, in milliseconds: `firstMs`, doubled after each consecutive failure, up to `maxMs`. */
export type Backoff = { firstMs: number; maxMs: number }

/** @param failures the number of consecutive failures, at least 1. */
export function backoffDelay({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs)
}
