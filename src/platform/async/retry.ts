import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The delay before the next attempt, in milliseconds; undefined to give up.
 * @param failures the number of failed attempts, at least 1.
 */
type RetryDelay = (failures: number, error: Error) => number | undefined

/**
 * Calls `attempt` until it succeeds.
 * @param options of the timer between two attempts: `signal` ends the delay; `ref: false` lets the process exit during it.
 * @throws the last error when `delayOf` gives up; an AbortError when the signal of `options` aborts during a delay.
 */
export async function retry<T>(
  attempt: () => T,
  delayOf: RetryDelay,
  options?: { signal?: AbortSignal; ref?: boolean },
): Promise<Awaited<T>> {
  for (let failures = 1; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      const delayMs = delayOf(failures, error as Error)
      if (delayMs === undefined) throw error
      await sleep(delayMs, undefined, options)
    }
  }
}
