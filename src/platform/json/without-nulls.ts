/** The object without the members that are null or undefined: in the bodies of chats and messages both mean nothing. */
export function withoutNulls<T extends object>(object: T): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value != null))
}
