export type Fields = Record<string, unknown>

/** Returns a copy of the object with the changes, without undefined fields. Returns the same object if nothing changes. */
export function withFields<T extends Fields>(object: T, changes: Fields): T {
  if (Object.keys(changes).every((name) => object[name] === changes[name])) return object
  return Object.fromEntries(Object.entries({ ...object, ...changes }).filter(([, value]) => value !== undefined)) as T
}
