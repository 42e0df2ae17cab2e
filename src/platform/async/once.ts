/** Returns a function that calls `act` once and caches its result. A rejected promise is not cached. */
export function once<T>(act: () => T): () => T {
  let cached: { result: T } | undefined
  return () => {
    if (cached) return cached.result
    const entry = { result: act() }
    cached = entry
    if (entry.result instanceof Promise) {
      entry.result.catch(() => {
        if (cached === entry) cached = undefined
      })
    }
    return entry.result
  }
}
