/**
 * Calls `act` with a value, immediately if it is not a promise. A promise costs turns of the microtask queue, and is retained as
 * long as its results.
 */
export function whenKnown<Value, Result>(
  value: Value | Promise<Value>,
  act: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(act) : act(value)
}
