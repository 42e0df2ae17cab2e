import { useEffect } from 'preact/hooks'
import { asFailure, type Failure } from '../failure.ts'

/** Statuses after which a read is retried. 409 is an intern between two states, 0 no response. */
const retryableStatuses = [0, 408, 409, 429, 500, 502, 503, 504]
const firstDelayMs = 1_000
const maxDelayMs = 30_000

/** Failures of a read in a row. */
export type FailedRead = {
  /** The last failure. */
  failure: Failure
  /** The time of the last failure, in milliseconds since the epoch. */
  at: number
  /** The time of the first failure, in milliseconds since the epoch. */
  since: number
  count: number
}

/** Whether a read that failed like this is retried automatically. */
export const isRetryable = (failure: Failure) => retryableStatuses.includes(failure.status)

/** The failures after one more. @param previous the previous failures in a row. */
export function nextFailedRead(previous: FailedRead | undefined, error: unknown): FailedRead {
  const at = Date.now()
  const { since = at, count = 0 } = previous ?? {}
  return { failure: asFailure(error), at, since, count: count + 1 }
}

/**
 * The delay before the next attempt. Doubles each time, and is never shorter than `Retry-After`.
 * @param count failures in a row.
 * @param jitter from 0 to 1. Shortens the delay by up to a fifth, which spreads the retries of pages that failed together.
 */
export function retryDelayMs(count: number, jitter: number, retryAfterMs = 0): number {
  const backoffMs = Math.min(firstDelayMs * 2 ** (count - 1), maxDelayMs)
  return Math.max(backoffMs * (1 - jitter / 5), retryAfterMs)
}

/** Calls a function after a delay, or later when the page becomes visible. @returns a function that cancels it. */
export function runWhenVisible(ms: number, callback: () => void): () => void {
  const run = () => {
    if (document.hidden) return
    cancel()
    callback()
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

/**
 * Calls `onRetry` after the retry delay of a transient failure.
 * @param failedRead undefined without a failure, and during a request.
 */
export function useRetry(failedRead: FailedRead | undefined, onRetry: () => void): void {
  useEffect(() => {
    if (!failedRead || !isRetryable(failedRead.failure)) return
    return runWhenVisible(retryDelayMs(failedRead.count, Math.random(), failedRead.failure.retryAfterMs), onRetry)
  }, [failedRead])
}
