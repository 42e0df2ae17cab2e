/** Delays between attempts, in milliseconds: the first one, doubled with each failure in a row, up to `maxMs`. */
export type Backoff = { firstMs: number; maxMs: number }

/** @param failures the number of failures in a row, at least 1. */
export function backoffDelay({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs)
}
