import { truncateText } from '#platform/text/truncate.ts'
import { ModelFault } from './model.ts'

/** Explains a provider's error response in one sentence, with the provider's own message. */
export function createStatusFault(status: number, body: string): ModelFault {
  const message = readMessage(body)
  const isContextTooLong =
    ([400, 413, 422].includes(status) && contextErrorPattern.test(message)) || isTooLongForEndpoints(body)
  const retryable = status === 408 || status === 429 || status >= 500
  return new ModelFault(`${describeStatus(status)}${message ? `: ${message}` : '.'}`, {
    retryable,
    status,
    isContextTooLong,
  })
}

const contextErrorPattern =
  /context.?(length|window|size)|maximum context|too (long|many tokens|large)|reduce the length/i

/** Returns whether a router excluded every endpoint because the prompt is too long for one of them. */
function isTooLongForEndpoints(body: string): boolean {
  try {
    const excluded: unknown = JSON.parse(body)?.error?.metadata?.excluded
    return Array.isArray(excluded) && excluded.some((one) => one?.reason === 'context_too_small')
  } catch {
    return false
  }
}

function describeStatus(status: number): string {
  if (status === 401 || status === 403) return `The model service refused the key or the request (${status})`
  if (status === 402) return 'The model service requires payment (402)'
  if (status === 404) return 'The model service does not know this model or address (404)'
  if (status === 408) return 'The model service timed out (408)'
  if (status === 429) return 'The model service limits the rate of requests (429)'
  if (status >= 500) return `The model service failed (${status})`
  return `The model service did not accept the request (${status})`
}

/**
 * Explains an error that arrived inside the stream. Without an HTTP status as its code, it counts as a failure of the service
 * (502).
 */
export function createChunkFault(error: { code?: unknown; message?: string } | string): ModelFault {
  const message = typeof error === 'string' ? error : (error.message ?? 'no reason given')
  const code = typeof error === 'string' ? undefined : Number(error.code)
  return createStatusFault(code && code >= 400 && code < 600 ? code : 502, message)
}

/** Explains a network failure before the response or, with `hasStarted`, within it. */
export function createConnectionFault(error: unknown, hasStarted: boolean): ModelFault {
  const { cause, message } = error as Error
  const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? (cause as Error | undefined)?.message ?? message
  const problem = hasStarted ? 'The model’s response broke off' : 'The model service cannot be reached'
  return new ModelFault(`${problem} (${reason}).`, { retryable: true })
}

/** A service can answer with a long page. Its start is enough to find the reason. */
const maxMessageLength = 500

/** @returns the start of the message in the usual shapes of error bodies, or of the body itself. */
function readMessage(body: string): string {
  try {
    const { error, message, detail } = JSON.parse(body)
    const found = error?.message ?? error ?? message ?? detail
    if (typeof found === 'string') return truncateText(found, maxMessageLength)
  } catch {
    // The body is not JSON: use its text, unless it is an HTML page.
  }
  return body.trim().startsWith('<') ? '' : truncateText(body.trim(), maxMessageLength)
}
