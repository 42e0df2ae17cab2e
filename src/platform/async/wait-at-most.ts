/**
 * Waits for a promise for at most `ms`, without keeping the process alive. The promise continues after that.
 * @returns its value, or `late` after the time.
 */
export function waitAtMost<T>(ms: number, promise: Promise<T>): Promise<T | undefined>
export function waitAtMost<T, Late>(ms: number, promise: Promise<T>, late: Late): Promise<T | Late>
export async function waitAtMost<T, Late>(ms: number, promise: Promise<T>, late?: Late): Promise<T | Late | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<Late | undefined>()
  const timer = setTimeout(resolve, ms, late).unref()
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
