import { isObject } from '#platform/core/is-object.ts'

/**
 * Whether the member `error` of an answer reports nothing: all its members are empty. One API and others send it with every
 * answer.
 */
export function isEmptyError(error: unknown): boolean {
  if (!isObject(error)) return false
  return Object.values(error).every((value) => !value || isEmptyError(value))
}

/** The error in the body of a response with an error status. The body for a stream can be a list with the error. */
export function findError(body: unknown): unknown {
  const refusal = Array.isArray(body) ? body[0] : body
  return (refusal as { error?: unknown } | null | undefined)?.error ?? findException(refusal)
}

/** The error in a member that is named after it, as in the event streams of Bedrock. */
export function findException(refusal: unknown): object | undefined {
  if (!isObject(refusal)) return undefined
  const type = Object.keys(refusal).find((name) => name.endsWith('Exception') && isObject(refusal[name]))
  return type === undefined ? undefined : { type, ...(refusal[type] as object) }
}
