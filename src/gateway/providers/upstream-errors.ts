import type { AnswerEvent } from '#chat/events.ts'
import { isObject } from '#platform/core/is-object.ts'
import { readErrorStatus } from './error-status.ts'

/** Matches codes that are words, so that they cannot contain a credential. */
const codePattern = /^[a-zA-Z][a-zA-Z_]{0,63}$/

type ErrorBody = { code?: unknown; status?: unknown; type?: unknown; __type?: unknown }

/**
 * The error code of a provider: OpenAI's `code`, Google's `status`, Anthropic's `type` or Amazon's `__type`. Undefined if
 * there is none.
 */
export function readErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, status, type, __type: exception } = error as ErrorBody
  const words = [code, status, type, typeof exception === 'string' ? exception.replace(/^.*#/, '') : undefined]
  // The type of some errors is only `error`.
  const word = words.find(
    (candidate): candidate is string =>
      typeof candidate === 'string' && candidate !== 'error' && codePattern.test(candidate),
  )
  return filterNumbers.has(String(code)) ? 'content_filter' : word
}

/** Zhipu's error codes for a request or an answer that its content policy refuses. */
const filterNumbers: ReadonlySet<string> = new Set(['1301'])

/** The error message of a provider; undefined if it is not a string. Some servers send the error as a string. */
export function readErrorMessage(error: unknown): string | undefined {
  if (typeof error === 'string') return error || undefined
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}

/**
 * Whether the member `error` of an answer reports nothing: all its members are empty. One API and others send it with every
 * answer.
 */
export function isEmptyError(error: unknown): boolean {
  if (!isObject(error)) return false
  return Object.values(error).every((value) => !value || isEmptyError(value))
}

/** The message for an upstream error that has none. */
export const defaultErrorMessage = 'the upstream failed'

/** The error in the body of a response with an error status. The body for a stream can be a list with the error. */
function findError(body: unknown): unknown {
  const refusal = Array.isArray(body) ? body[0] : body
  return (refusal as { error?: unknown } | null | undefined)?.error ?? findException(refusal)
}

/** The error in a member that is named after it, as in the event streams of Bedrock. */
export function findException(refusal: unknown): object | undefined {
  if (!isObject(refusal)) return undefined
  const type = Object.keys(refusal).find((name) => name.endsWith('Exception') && isObject(refusal[name]))
  return type === undefined ? undefined : { type, ...(refusal[type] as object) }
}

/** Longer details are omitted. */
const maxDetailsLength = 2000

/** The members of an error that clients and the retry policy need beside its message. */
export type ErrorMetadata = {
  code?: string | undefined
  /** Machine-readable details as Anthropic's errors have them, in JSON. */
  details?: string
  /** The time that the provider asks to wait. */
  retryAfterMs?: number
}

export function readErrorMetadata(error: unknown): ErrorMetadata {
  const { details: rawDetails } = (error ?? {}) as { details?: unknown }
  const code = readErrorCode(error)
  const details = readDetails(rawDetails)
  const retryAfterMs = readRetryDelay(rawDetails)
  const metadata: ErrorMetadata = {}
  if (code !== undefined) metadata.code = code
  if (details !== undefined) metadata.details = details
  if (retryAfterMs !== undefined) metadata.retryAfterMs = retryAfterMs
  return metadata
}

/** The metadata of a refusal. Many servers have it beside the message, without a member `error`, or with a text in it. */
export function readRefusalMetadata(body: unknown): ErrorMetadata {
  const error = findError(body)
  if (typeof error === 'object' && error !== null) return readErrorMetadata(error)
  return readErrorMetadata(Array.isArray(body) ? body[0] : body)
}

function readDetails(details: unknown): string | undefined {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return undefined
  const text = JSON.stringify(details)
  return text.length <= maxDetailsLength ? text : undefined
}

/** Google's servers write the time to wait in a list of details, and not in a header. */
function readRetryDelay(details: unknown): number | undefined {
  for (const detail of Array.isArray(details) ? details : []) {
    const { retryDelay } = (detail ?? {}) as { retryDelay?: unknown }
    const seconds = typeof retryDelay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(retryDelay)?.[1] : undefined
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000)
  }
  return undefined
}

/**
 * The message of a refusal. Most servers have it in `error`, FastAPI in `detail`: a text, an object or a list of problems.
 * Cloudflare has a list of `errors`.
 */
export function readRefusalMessage(body: unknown): string | undefined {
  const error = findError(body)
  // Spring and NestJS have the name of the status in `error`, beside the message.
  const isStatusName = typeof error === 'string' && statusNames.has(error) && isObject(body)
  const message = isStatusName ? findText({ ...body, error: undefined }, maxDepth) : readInnerMessage(error)
  return message ?? unwrapText(findText(body, maxDepth))
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

/** Messages are searched down to this level: a list in an object in a member of the body, for example. */
const maxDepth = 4

/** The message of an error within an answer, or that of an error within the message. */
export function readInnerMessage(error: unknown): string | undefined {
  const message = readErrorMessage(error)
  return message === relayedError ? (readRelayedMessage(error) ?? message) : unwrapText(message)
}

const unwrapText = (message: string | undefined) => (message?.startsWith('{') ? unwrapMessage(message) : message)

/** The message within an error that a proxy passes on as JSON text. */
function unwrapMessage(text: string): string {
  try {
    return readRefusalMessage(JSON.parse(text)) ?? text
  } catch {
    return text
  }
}

/** OpenRouter's message for an error of its provider, which is in the metadata. */
const relayedError = 'Provider returned error'

function readRelayedMessage(error: unknown): string | undefined {
  const { raw } = ((error as { metadata?: unknown } | null)?.metadata ?? {}) as { raw?: unknown }
  if (typeof raw === 'object' && raw !== null) return readRefusalMessage(raw)
  return typeof raw !== 'string' || raw === '' ? undefined : unwrapMessage(raw)
}

/** Members with a message or with an object that has one. The first that leads to a text is used. */
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

/** Finds the message of an error. @param depth the number of levels that are searched. */
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

/** One problem of FastAPI's list, with its field. */
function problemText(entry: unknown): string | undefined {
  const { msg, loc } = (entry ?? {}) as { msg?: unknown; loc?: unknown }
  if (typeof msg !== 'string') return undefined
  const field = Array.isArray(loc) ? loc.filter((step) => step !== 'body').join('.') : ''
  return field ? `${field}: ${msg}.` : msg
}

/**
 * The error of an answer without content. Some servers send errors with a status of success.
 * @param problem the error if the body has no message.
 * @throws Error in that case.
 */
export function errorWithoutAnswer(body: unknown, problem: string): Extract<AnswerEvent, { type: 'error' }> {
  const message = readRefusalMessage(body)
  if (!message) throw new Error(problem)
  const found = findError(body)
  const error = isObject(found) ? found : Array.isArray(body) ? body[0] : body
  const miniMax = (error as MiniMaxError | undefined)?.base_resp?.status_code
  const status = readErrorStatus(error) ?? miniMaxStatuses.get(miniMax)
  const isFiltered = miniMaxFilterCodes.has(miniMax)
  return { type: 'error', message, status, ...readErrorMetadata(error), ...(isFiltered && { code: 'content_filter' }) }
}

type MiniMaxError = { base_resp?: { status_code?: unknown } | null }

/** MiniMax's codes for a prompt and for an answer that its content policy refuses. */
const miniMaxFilterCodes: ReadonlySet<unknown> = new Set([1026, 1027])

/** The HTTP statuses that MiniMax's codes stand for. It sends errors in `base_resp`, with the status 200. */
const miniMaxStatuses = new Map<unknown, number>([
  [1001, 504],
  [1002, 429],
  [1004, 401],
  [1008, 402],
  [1026, 400],
  [1027, 400],
  [1039, 429],
  [1041, 429],
  [2013, 400],
  [2045, 429],
  [2056, 429],
  [2049, 401],
])
