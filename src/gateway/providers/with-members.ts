export type Members = Record<string, unknown>

/** An object with these members; undefined ones are removed. The same object if nothing changes. */
export function withMembers<T extends Members>(object: T, changes: Members): T {
  if (Object.keys(changes).every((name) => object[name] === changes[name])) return object
  return Object.fromEntries(Object.entries({ ...object, ...changes }).filter(([, value]) => value !== undefined)) as T
}
