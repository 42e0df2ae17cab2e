/** Calls `act` the first time and remembers its result for every other. A promise that is rejected is forgotten. */
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
