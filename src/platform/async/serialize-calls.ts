/** Runs calls of `act` one after another, each after the previous one has ended or failed. */
export function serializeCalls<T>(act: () => Promise<T>): () => Promise<T> {
  let lastCall: Promise<unknown> = Promise.resolve()
  return () => {
    const call = lastCall.then(act, act)
    lastCall = call
    return call
  }
}
