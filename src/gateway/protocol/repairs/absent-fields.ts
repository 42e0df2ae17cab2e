import type { Body } from '../protocol.ts'

/** Fields of a request among those that a protocol lacks. Empty lists and objects ask for nothing. */
export function fieldsSetIn(chat: Body, names: readonly string[]): string[] {
  return names.filter((name) => isSet(chat[name]))
}

function isSet(value: unknown): boolean {
  if (value == null || value === false) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
