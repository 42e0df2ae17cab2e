/** Wraps `act` so that calls during a pending one share its result. */
export function sharePending<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let pending: Promise<Result> | undefined
  return () => {
    pending ??= act().finally(() => {
      pending = undefined
    })
    return pending
  }
}
