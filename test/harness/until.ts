import { availableParallelism, loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Repeats a check until it returns a value. The bound is for an event that never happens: a machine that is loaded ten
 * times over must not reach it.
 * @param describeState the last state, for the error.
 */
export async function until<T>(
  check: () => Promise<T> | T,
  withinMs = 180_000,
  describeState: () => string = () => '',
): Promise<Exclude<T, undefined | null | false>> {
  const startedAt = performance.now()
  for (;;) {
    const found = await check()
    if (found) return found as Exclude<T, undefined | null | false>
    const waitedMs = performance.now() - startedAt
    if (waitedMs > withinMs) throw new Error(`Not within ${withinMs} ms: ${check} ${describeState()}`.trim())
    // Rarer during a long wait: most checks are requests, which take processor time from what is awaited.
    await sleep(Math.min(20 + waitedMs / 20, 100))
  }
}

/**
 * The duration of an operation, and the time that it can have taken for a promise in milliseconds. Other load delays
 * this process and the processes that it waits for, so the promise cannot be kept to the millisecond.
 */
export async function timed<T>(
  promisedMs: number,
  operation: () => Promise<T>,
): Promise<{ tookMs: number; allowedMs: number; result: T }> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const startedAt = performance.now()
  const result = await operation()
  const tookMs = performance.now() - startedAt
  delay.disable()
  const loadFactor = Math.max(1, (4 * loadavg()[0]!) / availableParallelism())
  return { tookMs, allowedMs: promisedMs * loadFactor + 10 * (delay.max / 1e6), result }
}

/** The processor time of this thread for an operation, in milliseconds, independent of other load on the machine. */
export function busyMs(operation: () => unknown): number {
  const before = process.threadCpuUsage()
  operation()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** The text that `busyLimitMs` parses: 1.5 MB of JSON. */
const referenceText = JSON.stringify(
  Array.from({ length: 20_000 }, (_, id) => ({ id, name: `item ${id}`, tags: ['a', 'b', 'c'], price: id / 7 })),
)
/** The processor time for parsing and writing the text on a machine without other load. */
const referenceMs = 10

/**
 * A limit of processor time for this machine: higher if its processor is slow now. Other load does not count as processor time,
 * but it shares caches and cores, and then the same work takes up to three times as much.
 */
export function busyLimitMs(limitMs: number): number {
  const runs = Array.from({ length: 3 }, () => busyMs(() => JSON.stringify(JSON.parse(referenceText))))
  return limitMs * Math.max(1, Math.min(...runs) / referenceMs)
}
