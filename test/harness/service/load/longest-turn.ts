/** The turn of the event loop that took the most processor time of its thread. */
type LongestTurn = {
  processorMs: number
  /** By `performance.now()`. */
  start: number
  end: number
}

/**
 * Watches the turns of this thread's event loop. Processor time, unlike time, does not grow while other processes run.
 * @returns a function that ends the watch.
 */
export function watchTurns(): () => LongestTurn {
  const longest: LongestTurn = { processorMs: 0, start: 0, end: 0 }
  let before = process.threadCpuUsage()
  let start = performance.now()
  let next = setImmediate(function endTurn() {
    const { user, system } = process.threadCpuUsage(before)
    const processorMs = (user + system) / 1000
    const end = performance.now()
    if (processorMs > longest.processorMs) Object.assign(longest, { processorMs, start, end })
    before = process.threadCpuUsage()
    start = performance.now()
    next = setImmediate(endTurn)
  })
  return () => {
    clearImmediate(next)
    return longest
  }
}
