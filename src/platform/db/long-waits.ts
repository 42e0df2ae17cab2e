/** The time after which a statement counts as waiting for a connection. Opening a connection takes less. */
const longMs = 250

/** @param waiting in the order of arrival. @returns the number that have waited longer than `longMs`. */
export function countLongWaits(waiting: Iterable<{ since: number }>, now = performance.now()): number {
  let count = 0
  for (const { since } of waiting) {
    if (since > now - longMs) break
    count++
  }
  return count
}
