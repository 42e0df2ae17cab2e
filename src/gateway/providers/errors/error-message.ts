import { isObject } from '#platform/core/is-object.ts'
import { findError } from './error-body.ts'

/** Reads the message of an error object. Some servers send a string instead of an object. */
export function readErrorMessage(error: unknown): string | undefined {
  if (typeof error === 'string') return error || undefined
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}

/**
 * Reads the message in the body of an HTTP error response. Most servers have it in `error`, FastAPI in `detail` (a text, an object
 * or a list of problems), Cloudflare in a list of `errors`.
 */
export function readErrorBodyMessage(body: unknown): string | undefined {
  const error = findError(body)
  // Spring and NestJS have the status text in `error`, and the message beside it.
  if (typeof error === 'string' && statusNames.has(error) && isObject(body))
    return unwrapText(findText({ ...body, error: undefined }, maxDepth)) || error
  return readUnwrappedMessage(error) ?? unwrapText(findText(body, maxDepth))
}

const statusNames: ReadonlySet<unknown> = new Set([
  'Bad Request',
  'Unauthorized',
  'Payment Required',
  'Forbidden',
  'Not Found',
  'Payload Too Large',
  'Unprocessable Entity',
  'Too Many Requests',
  'Internal Server Error',
  'Bad Gateway',
  'Service Unavailable',
  'Gateway Timeout',
])

/** The depth to which messages are searched, in levels. */
const maxDepth = 4

/** Reads the message of an error object. Unwraps errors of other servers that a proxy relays in the message. */
export function readUnwrappedMessage(error: unknown): string | undefined {
  const message = readErrorMessage(error)
  return message === relayedError ? (readRelayedMessage(error) ?? message) : unwrapText(message)
}

const unwrapText = (message: string | undefined) => (message?.startsWith('{') ? unwrapMessage(message) : message)

/** Reads the message of an error that a proxy relays as JSON text. */
function unwrapMessage(text: string): string {
  try {
    return readErrorBodyMessage(JSON.parse(text)) ?? text
  } catch {
    return text
  }
}

/** OpenRouter's message for an error of a provider. The metadata contains the error of the provider. */
const relayedError = 'Provider returned error'

function readRelayedMessage(error: unknown): string | undefined {
  const { raw } = ((error as { metadata?: unknown } | null)?.metadata ?? {}) as { raw?: unknown }
  if (typeof raw === 'object' && raw !== null) return readErrorBodyMessage(raw)
  return typeof raw !== 'string' || raw === '' ? undefined : unwrapMessage(raw)
}

/** Fields with a message, or with an object that contains a message. The first with a message is used. */
const messageFields = [
  'error',
  'detail',
  'message',
  'errors',
  'base_resp',
  'status_msg',
  'messages',
  'Message',
  'msg',
  'Error',
  'Response',
  'ResponseMetadata',
  'errMsg',
  'errmsg',
  'err_msg',
  'error_msg',
  'errorMessage',
  'error_message',
  'status_message',
  'error_description',
  'reason',
  'title',
  'description',
  'fault',
  'faultstring',
] as const

/** Finds the message of an error. @param depth the number of levels to search. */
function findText(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value || undefined
  if (typeof value !== 'object' || value === null || depth === 0) return undefined
  if (Array.isArray(value))
    return value.flatMap((item) => problemText(item) ?? findText(item, depth - 1) ?? []).join(' ')
  for (const field of messageFields) {
    const text = findText((value as { [field in (typeof messageFields)[number]]?: unknown })[field], depth - 1)
    if (text) return text
  }
  // Problems by field, as Rails and ASP.NET list them.
  const { errors } = value as { errors?: unknown }
  return typeof errors === 'object' && errors !== null ? findText(Object.values(errors), depth - 1) : undefined
}

/** The text of one problem in FastAPI's list, with the name of the field. */
function problemText(entry: unknown): string | undefined {
  const { msg, loc } = (entry ?? {}) as { msg?: unknown; loc?: unknown }
  if (typeof msg !== 'string') return undefined
  const field = Array.isArray(loc) ? loc.filter((step) => step !== 'body').join('.') : ''
  return field ? `${field}: ${msg}.` : msg
}
