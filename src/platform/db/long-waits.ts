/** A statement counts as waiting for a connection after this time. Opening a connection takes less. */
const longMs = 250

/** @param waiting in the order of arrival. @returns the number that have waited longer than that. */
export function countLongWaits(waiting: Iterable<{ since: number }>, now = performance.now()): number {
  let count = 0
  for (const { since } of waiting) {
    if (since > now - longMs) break
    count++
  }
  return count
}
