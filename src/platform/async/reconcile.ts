import { type Backoff, backoffDelay } from './backoff.ts'

type ReconcilerOptions = {
  /** Stops the loop. */
  signal?: AbortSignal
  /** Delay before the first pass, in milliseconds; undefined to wait for a trigger. */
  firstMs?: number
  /** Delay after a failed pass, in milliseconds; or delays that grow with each consecutive failure. */
  retryMs: number | Backoff
  /** Called with the error of each failed pass, except after the stop. */
  onError: (error: Error) => void
}

export type Reconciler = {
  /** Requests a pass. */
  trigger: () => void
  /** Resolves when the running pass has ended. No further one starts. */
  stop: () => Promise<void>
}

/**
 * Runs `pass` each time it is triggered, after the delay in milliseconds that the last pass returned, and again after a
 * failure. Passes never overlap: all triggers during a pass cause one more pass. A pass that returns undefined waits
 * for a trigger.
 */
export function startReconciler(
  pass: (signal: AbortSignal) => Promise<number | undefined>,
  { signal: parentSignal, firstMs, retryMs, onError }: ReconcilerOptions,
): Reconciler {
  let isTriggered = false
  let wake = () => {}
  const stopping = new AbortController()
  const { signal } = stopping
  const backoff = typeof retryMs === 'number' ? { firstMs: retryMs, maxMs: retryMs } : retryMs

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
    for (let delayMs = firstMs; ; ) {
      await waitForTrigger(delayMs)
      if (signal.aborted) return
      isTriggered = false
      try {
        delayMs = await pass(signal)
        failures = 0
      } catch (error) {
        if (!signal.aborted) onError(error as Error)
        delayMs = backoffDelay(backoff, ++failures)
      }
    }
  }

  function trigger(): void {
    isTriggered = true
    wake()
  }

  function stop(): Promise<void> {
    stopping.abort()
    parentSignal?.removeEventListener('abort', stop)
    wake()
    return ended
  }

  if (parentSignal?.aborted) stopping.abort()
  else parentSignal?.addEventListener('abort', stop)
  const ended = loop()
  return { trigger, stop }
}

type RepeatOptions = Pick<ReconcilerOptions, 'firstMs' | 'onError'> & { everyMs: number }

/**
 * Runs `act` after `firstMs`, by default at once, and then `everyMs` after the end of each run.
 * @returns a function that stops it, without waiting for a running call.
 */
export function repeat(
  act: (signal: AbortSignal) => Promise<unknown>,
  { firstMs = 0, everyMs, onError }: RepeatOptions,
): () => void {
  const pass = async (signal: AbortSignal) => {
    await act(signal)
    return everyMs
  }
  const { stop } = startReconciler(pass, { firstMs, retryMs: everyMs, onError })
  return () => void stop()
}
