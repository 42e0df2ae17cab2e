import { findError } from './error-body.ts'
import { zhipuFilterCodes } from './numeric-codes.ts'

/** Matches codes that are words, so that they cannot contain a credential. */
const codePattern = /^[a-zA-Z][a-zA-Z_]{0,63}$/

type ErrorFields = { code?: unknown; status?: unknown; type?: unknown; __type?: unknown }

/**
 * The error code of a provider: OpenAI's `code`, Google's `status`, Anthropic's `type` or Amazon's `__type`. Undefined if
 * there is none.
 */
export function readErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, status, type, __type: exceptionType } = error as ErrorFields
  if (zhipuFilterCodes.has(String(code))) return 'content_filter'
  // The name of an exception follows its namespace: `com.amazon.coral.availability#ThrottlingException`.
  const exceptionName = typeof exceptionType === 'string' ? exceptionType.replace(/^.*#/, '') : undefined
  const candidates = [code, status, type, exceptionName]
  // The type of some errors is only `error`.
  return candidates.find(
    (candidate): candidate is string =>
      typeof candidate === 'string' && candidate !== 'error' && codePattern.test(candidate),
  )
}

/** The maximum length of `details`, in characters. Longer details are omitted. */
const maxDetailsLength = 2000

/** The fields of an error that clients and the retry policy need in addition to the message. */
export type ErrorMetadata = {
  code?: string | undefined
  /** Machine-readable details in JSON, as in Anthropic's errors. */
  details?: string
  /** The retry delay that the provider requests. */
  retryAfterMs?: number
}

/** Reads the metadata of an error object, such as the field `error` of a body. */
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

/** Reads the metadata of an HTTP error body: of the field `error`, or of the body itself if `error` is missing or a string. */
export function readErrorBodyMetadata(body: unknown): ErrorMetadata {
  const error = findError(body)
  if (typeof error === 'object' && error !== null) return readErrorMetadata(error)
  return readErrorMetadata(Array.isArray(body) ? body[0] : body)
}

function readDetails(details: unknown): string | undefined {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return undefined
  const text = JSON.stringify(details)
  return text.length <= maxDetailsLength ? text : undefined
}

/** Reads the retry delay that Google's servers send in a list of details instead of a header. */
function readRetryDelay(details: unknown): number | undefined {
  for (const detail of Array.isArray(details) ? details : []) {
    const { retryDelay } = (detail ?? {}) as { retryDelay?: unknown }
    const seconds = typeof retryDelay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(retryDelay)?.[1] : undefined
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000)
  }
  return undefined
}
