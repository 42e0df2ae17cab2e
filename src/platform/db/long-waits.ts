/** A statement counts as waiting for a connection after this time; opening one takes less. */
const longMs = 250

/** @param waiting in the order in which they came. @returns how many have waited for long. */
export function countLongWaits(waiting: Iterable<{ since: number }>, now = performance.now()): number {
  let count = 0
  for (const { since } of waiting) {
    if (since > now - longMs) break
    count++
  }
  return count
}
