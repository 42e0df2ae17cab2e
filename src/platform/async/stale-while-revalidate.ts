const freshForMs = 5000

/**
 * What the database says, at most some seconds old, for those who may not wait for it. A call gets what was last read, and
 * starts a new read for the next call.
 */
export function staleWhileRevalidate<T>(first: T, read: () => Promise<T>): () => T {
  let known = first
  let readAt = Number.NEGATIVE_INFINITY
  let reading = false

  async function readAgain(): Promise<void> {
    reading = true
    try {
      known = await read()
      readAt = performance.now()
    } catch {
      // The database is away, which others tell of.
    } finally {
      reading = false
    }
  }
  return () => {
    if (!reading && performance.now() - readAt > freshForMs) void readAgain()
    return known
  }
}
