/** Removes undefined members, which would override the values of earlier sources. */
export function withoutUndefined<T extends object>(patch: T): { [K in keyof T]: T[K] } {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as T
}
