/** The object without the members that are null or undefined: in the bodies of chats and messages both mean nothing. */
export function withoutNulls<T extends object>(object: T): Record<string, unknown> {
  const present: Record<string, unknown> = {}
  for (const name in object) if (object[name] != null) present[name] = object[name]
  return present
}
