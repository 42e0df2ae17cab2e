/**
 * Acts on a value, at once where it need not be waited for: a promise costs turns of the queue between two steps, and is
 * kept for as long as what follows from it.
 */
export function whenKnown<Value, Result>(
  value: Value | Promise<Value>,
  act: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(act) : act(value)
}

/** Tells of a failure, at once or later, before whoever waits hears of it. */
export function tellingFailure<Result>(
  act: () => Result | Promise<Result>,
  tell: (error: unknown) => void,
): Result | Promise<Result> {
  const fail = (error: unknown): never => {
    tell(error)
    throw error
  }
  try {
    const result = act()
    return result instanceof Promise ? result.catch(fail) : result
  } catch (error) {
    return fail(error)
  }
}
