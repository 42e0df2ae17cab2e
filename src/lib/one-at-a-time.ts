/** Lets calls of `act` follow each other, each beginning when the one before has ended, however that ended. */
export function oneAtATime<T>(act: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const next = last.then(act, act)
    last = next
    return next
  }
}
