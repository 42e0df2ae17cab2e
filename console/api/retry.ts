import { useEffect } from 'preact/hooks'
import { asFailure, type Failure } from './failure.ts'

/** Reads that failed by these may be answered when asked again: 409 is an intern between two states. */
const retryableStatuses = [0, 408, 409, 429, 500, 502, 503, 504]
const firstDelayMs = 1_000
const maxDelayMs = 30_000

/** A read that failed: why and when the last time, since when, and how often in a row. */
export type FailedRead = { failure: Failure; at: number; since: Date; count: number }

/** Whether what failed like this is asked for again by itself. */
export const isRetryable = (failure: Failure) => retryableStatuses.includes(failure.status)

/** One failure more. @param before those in a row that went before it. */
export function nextFailedRead(before: FailedRead | undefined, error: unknown): FailedRead {
  const at = Date.now()
  const { since = new Date(at), count = 0 } = before ?? {}
  return { failure: asFailure(error), at, since, count: count + 1 }
}

/**
 * So long nobody asks again: twice as long each time, and no shorter than the service says.
 * @param count how often it failed in a row.
 * @param jitter from 0 to 1: pages that failed together do not ask again together.
 */
export function retryDelayMs(count: number, jitter: number, retryAfterMs = 0): number {
  const backoffMs = Math.min(firstDelayMs * 2 ** (count - 1), maxDelayMs)
  return Math.max(backoffMs * (1 - jitter / 5), retryAfterMs)
}

/** Calls `act` in so long, or when the page is seen again after that. @returns what calls it off. */
export function runWhenVisible(ms: number, act: () => void): () => void {
  const run = () => {
    if (document.hidden) return
    cancel()
    act()
  }
  const timer = setTimeout(() => {
    document.addEventListener('visibilitychange', run)
    run()
  }, ms)
  const cancel = () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', run)
  }
  return cancel
}

/** Calls `act` after a pause for each failure that passes. @param failedRead undefined while there is none, or it is asked. */
export function useRetry(failedRead: FailedRead | undefined, act: () => void): void {
  useEffect(() => {
    if (!failedRead || !isRetryable(failedRead.failure)) return
    return runWhenVisible(retryDelayMs(failedRead.count, Math.random(), failedRead.failure.retryAfterMs), act)
  }, [failedRead])
}
