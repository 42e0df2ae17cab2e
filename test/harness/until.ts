import { availableParallelism, loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Looks until there is something. The bound is for what never comes to pass: a machine that is loaded ten times over
 * must not reach it.
 * @param seen what was there instead, for the error.
 */
export async function until<T>(
  look: () => Promise<T> | T,
  withinMs = 180_000,
  seen: () => string = () => '',
): Promise<Exclude<T, undefined | null | false>> {
  const late = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found) return found as Exclude<T, undefined | null | false>
    if (performance.now() > late) throw new Error(`Not within ${withinMs} ms: ${look} ${seen()}`.trim())
    await sleep(20)
  }
}

/**
 * The time that something took, and the time that it may have taken for a promise in milliseconds. Other load delays this
 * process, and those that it waits for: then the promise cannot be kept to the millisecond.
 */
export async function timed<T>(
  promisedMs: number,
  work: () => Promise<T>,
): Promise<{ tookMs: number; allowedMs: number; result: T }> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const startedAt = performance.now()
  const result = await work()
  const tookMs = performance.now() - startedAt
  delay.disable()
  const crowd = Math.max(1, (4 * loadavg()[0]!) / availableParallelism())
  return { tookMs, allowedMs: promisedMs * crowd + 10 * (delay.max / 1e6), result }
}

/** The processor time of this thread that something took, in milliseconds: what else the machine does is no part of it. */
export function busyMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
