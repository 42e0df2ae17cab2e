/** The object without the members that are null or undefined: in the bodies of chats and messages both mean nothing. */
export function withoutNulls<T extends object>(object: T): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const name in object) if (object[name] != null) kept[name] = object[name]
  return kept
}
