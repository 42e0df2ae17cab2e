import { isObject } from '#platform/core/is-object.ts'

/**
 * Whether the field `error` of a response reports no error, because all of its fields are empty. Some servers, such as One API,
 * send it with every response.
 */
export function isEmptyError(error: unknown): boolean {
  if (!isObject(error)) return false
  return Object.values(error).every((value) => !value || isEmptyError(value))
}

/** Finds the error in the body of an HTTP error response. For a stream, the body can be a list with the error. */
export function findError(body: unknown): unknown {
  const errorBody = Array.isArray(body) ? body[0] : body
  return (errorBody as { error?: unknown } | null | undefined)?.error ?? findException(errorBody)
}

/** Finds an error whose field has the name of an exception, as in the event streams of Bedrock. */
export function findException(errorBody: unknown): object | undefined {
  if (!isObject(errorBody)) return undefined
  const type = Object.keys(errorBody).find((name) => name.endsWith('Exception') && isObject(errorBody[name]))
  return type === undefined ? undefined : { type, ...(errorBody[type] as object) }
}
