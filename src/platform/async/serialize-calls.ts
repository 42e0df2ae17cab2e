/** Runs calls of `act` one after another, each after the previous one has ended or failed. */
export function serializeCalls<T>(act: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const next = last.then(act, act)
    last = next
    return next
  }
}
