/** The fields that this file reads of a message or an item. */
type AuthoredPart = { role?: unknown; type?: unknown }

const byOthers = /_(?:output|call|result|use)$|^reasoning$|^thinking$/

/**
 * Whether the user wrote a message or an item of the request's list. Roles and types of nested values are ignored, because
 * they can be arbitrary.
 */
export function isByUser({ role, type }: AuthoredPart, otherwise: boolean): boolean {
  if (typeof role === 'string') return role === 'user'
  return typeof type === 'string' && byOthers.test(type) ? false : otherwise
}
