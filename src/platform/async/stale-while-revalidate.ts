/** Shorter than the interval at which metrics are usually scraped. */
const freshForMs = 5000

/**
 * Caches a value that is read from the database, for callers that cannot wait. A call returns the last value, and starts a new
 * read if that value is older than `freshForMs`. Returns `first` until the first read has ended.
 */
export function staleWhileRevalidate<T>(first: T, read: () => Promise<T>): () => T {
  let value = first
  let readAt = Number.NEGATIVE_INFINITY
  let isReading = false

  async function refresh(): Promise<void> {
    isReading = true
    try {
      value = await read()
      readAt = performance.now()
    } catch {
      // Other code reports the outage of the database.
    } finally {
      isReading = false
    }
  }
  return () => {
    if (!isReading && performance.now() - readAt > freshForMs) void refresh()
    return value
  }
}
