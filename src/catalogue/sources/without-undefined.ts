/** Only what was said: a member that is undefined would hide what an earlier source said. */
export function withoutUndefined<T extends object>(patch: T): { [K in keyof T]: T[K] } {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as T
}
