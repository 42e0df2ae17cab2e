import { type Backoff, backoffDelay } from './backoff.ts'

type ReconcilerOptions = {
  /** Stops the loop. */
  signal: AbortSignal
  /** Delay after a failed pass, in milliseconds; or delays that grow with each failure in a row. */
  retryMs: number | Backoff
  onError: (error: Error) => void
}

/**
 * Runs `pass` each time it is triggered, after the delay in milliseconds that the last pass returned, and again after a
 * failure. Passes never overlap: triggers during a pass are merged into one more. A pass that returns undefined waits
 * for a trigger.
 * @returns the trigger.
 */
export function startReconciler(
  pass: () => Promise<number | undefined>,
  { signal, retryMs, onError }: ReconcilerOptions,
): () => void {
  let isTriggered = false
  let wake = () => {}
  const backoff = typeof retryMs === 'number' ? { firstMs: retryMs, maxMs: retryMs } : retryMs
  signal.addEventListener('abort', () => wake(), { once: true })

  async function waitForTrigger(delayMs: number | undefined): Promise<void> {
    if (isTriggered || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    wake = resolve
    const timer = delayMs === undefined ? undefined : setTimeout(resolve, delayMs).unref()
    await promise
    clearTimeout(timer)
  }

  async function loop(): Promise<void> {
    let failures = 0
    for (let delayMs: number | undefined; ; ) {
      await waitForTrigger(delayMs)
      if (signal.aborted) return
      isTriggered = false
      try {
        delayMs = await pass()
        failures = 0
      } catch (error) {
        if (!signal.aborted) onError(error as Error)
        delayMs = backoffDelay(backoff, ++failures)
      }
    }
  }

  void loop()
  return () => {
    isTriggered = true
    wake()
  }
}
