/** Removes fields that are null or undefined. In the bodies of chats and messages both mean that the field is absent. */
export function withoutNulls<T extends object>(object: T): Record<string, unknown> {
  const present: Record<string, unknown> = {}
  for (const name in object) if (object[name] != null) present[name] = object[name]
  return present
}
