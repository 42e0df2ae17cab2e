import assert from 'node:assert/strict'

/** A sample of this fraction of the size is compared. Linear work takes 8 times as long for the whole, square work 64 times. */
export const sizeRatio = 8
const mostGrowth = 20
/** Differences below this are chance: the collector, other processes, or a clock that counts in steps of 4 ms. */
const noiseMs = 60
const mostRuns = 8
/** Work that takes longer is not repeated: it is not linear. */
const hopelessMs = 5000

/**
 * Fails if the processor time grows faster than the size of the text.
 * The shortest of several runs decides, so that a busy machine and the collector do not.
 */
export function requireLinear(
  what: string,
  { small, large }: { small: string; large: string },
  act: (text: string) => void,
): void {
  let smallMs = Number.POSITIVE_INFINITY
  let largeMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < mostRuns && !(run > 0 && largeMs > hopelessMs); run++) {
    smallMs = Math.min(
      smallMs,
      processorMs(() => act(small)),
    )
    largeMs = Math.min(
      largeMs,
      processorMs(() => act(large)),
    )
    if (largeMs <= mostGrowth * smallMs + noiseMs) return
  }
  assert.fail(`${what}: ${smallMs.toFixed(0)} ms, and ${largeMs.toFixed(0)} ms for a body ${sizeRatio} times the size`)
}

function processorMs(act: () => void): number {
  const before = process.threadCpuUsage()
  act()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
