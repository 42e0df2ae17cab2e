/** Calls `act` once and caches its result. A rejected promise is not cached. */
export function once<T>(act: () => T): () => T {
  let done: { result: T } | undefined
  return () => {
    if (done) return done.result
    const made = { result: act() }
    done = made
    if (made.result instanceof Promise) {
      made.result.catch(() => {
        if (done === made) done = undefined
      })
    }
    return made.result
  }
}
