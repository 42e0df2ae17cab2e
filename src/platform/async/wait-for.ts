/** Calls `onChange` when the state may have changed. @returns the function that unsubscribes. */
export type Subscribe = (onChange: () => void) => () => void

type WaitOptions = {
  /** Omitted if no event reports the change. */
  subscribe?: Subscribe
  timeoutMs?: number
  /** Stops the wait early. */
  signal?: AbortSignal
  /** Interval at which the state is also read without a notification, because one can be lost. */
  recheckMs?: number
}

type EndlessWaitOptions = Pick<WaitOptions, 'subscribe' | 'recheckMs'> & { timeoutMs?: undefined; signal?: undefined }

/**
 * Waits until a condition holds. Checks it at once, after each notification, and each `recheckMs`. A check can also do the work
 * that its condition waits for, such as ending the remaining processes.
 * @returns whether the condition holds; false after the timeout, or when `signal` aborts.
 */
export async function waitUntil(check: () => Promise<boolean>, options: WaitOptions): Promise<boolean> {
  return (await waitFor(async () => ((await check()) ? true : undefined), options)) ?? false
}

/**
 * Reads a state until `read` returns a value other than undefined: at once, after each notification, and each `recheckMs`.
 * @returns undefined after the timeout, or when `signal` aborts.
 */
export function waitFor<T>(read: () => Promise<T | undefined>, options: EndlessWaitOptions): Promise<T>
export function waitFor<T>(read: () => Promise<T | undefined>, options: WaitOptions): Promise<T | undefined>
export async function waitFor<T>(
  read: () => Promise<T | undefined>,
  { subscribe, timeoutMs = Number.POSITIVE_INFINITY, signal, recheckMs = 1000 }: WaitOptions,
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs
  let changed = Promise.withResolvers<void>()
  const notify = () => changed.resolve()
  const unsubscribe = subscribe?.(notify)
  signal?.addEventListener('abort', notify)
  try {
    for (;;) {
      // Created before the read, so that a change during the read is not missed.
      changed = Promise.withResolvers()
      const state = await read()
      const remainingMs = deadline - performance.now()
      if (state !== undefined || remainingMs <= 0 || signal?.aborted) return state
      const timer = setTimeout(notify, Math.min(remainingMs, recheckMs))
      await changed.promise
      clearTimeout(timer)
    }
  } finally {
    unsubscribe?.()
    signal?.removeEventListener('abort', notify)
  }
}
