/** The fields that this file reads of a message or an item. */
type AuthoredPart = { role?: unknown; type?: unknown }

const nonUserType = /_(?:output|call|result|use)$|^reasoning$|^thinking$/

/**
 * Whether the user wrote a message or an item of the request's list. Roles and types of nested values are ignored, because
 * they can be arbitrary.
 */
export function isWrittenByUser({ role, type }: AuthoredPart, fallback: boolean): boolean {
  if (typeof role === 'string') return role === 'user'
  return typeof type === 'string' && nonUserType.test(type) ? false : fallback
}
