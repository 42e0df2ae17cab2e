import { findError } from './error-body.ts'
import { zhipuFilterCodes } from './numeric-codes.ts'

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
  return zhipuFilterCodes.has(String(code)) ? 'content_filter' : word
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
