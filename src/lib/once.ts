/** Calls `act` the first time and remembers its result for every other. */
export function once<T>(act: () => T): () => T {
  let done: { result: T } | undefined
  return () => {
    done ??= { result: act() }
    return done.result
  }
}
