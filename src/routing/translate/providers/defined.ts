/** The object without the members that have no value, as wire formats want it. */
export function defined<T extends object>(object: T): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value != null))
}
