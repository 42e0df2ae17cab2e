import { setTimeout as sleep } from 'node:timers/promises'

/** Delays between attempts, in milliseconds: the first one, doubled with each failure in a row, up to `maxMs`. */
export type Backoff = { firstMs: number; maxMs: number }

/** @param failures the number of failures in a row, at least 1. */
export function backoffDelay({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs)
}

type RetryOptions = {
  backoff: Backoff
  /** Ends the wait between attempts; the last error is thrown then. */
  signal?: AbortSignal
  /** Decides, after the given number of attempts, whether an error is worth another one. By default always. */
  isRetryable?: (error: unknown, attempts: number) => boolean
}

/** Runs `action` until it succeeds. @throws the error of the last attempt, if it is not retryable. */
export async function retry<T>(
  action: () => Promise<T>,
  { backoff, signal, isRetryable = () => true }: RetryOptions,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await action()
    } catch (error) {
      if (signal?.aborted || !isRetryable(error, attempts)) throw error
      const options = { ref: false, ...(signal && { signal }) }
      await sleep(backoffDelay(backoff, attempts), undefined, options).catch(() => {})
      if (signal?.aborted) throw error
    }
  }
}
