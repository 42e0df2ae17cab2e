export type Members = Record<string, unknown>

/** Returns a copy of the object with the changes, without undefined members. Returns the same object if nothing changes. */
export function withMembers<T extends Members>(object: T, changes: Members): T {
  if (Object.keys(changes).every((name) => object[name] === changes[name])) return object
  return Object.fromEntries(Object.entries({ ...object, ...changes }).filter(([, value]) => value !== undefined)) as T
}
