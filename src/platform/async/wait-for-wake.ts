/**
 * Waits for an event for at most `ms`, without keeping the process alive.
 * @returns false after the time; true if the event occurred or the signal aborted before.
 */
export async function waitForWake(wake: Promise<void>, signal: AbortSignal, ms: number): Promise<boolean> {
  if (signal.aborted) return true
  const { promise: end, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, ms, false).unref()
  const onAbort = () => resolve(true)
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([wake.then(() => true), end])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
