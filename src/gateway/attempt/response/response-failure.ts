import type { CompletionEvent, UsageEvent } from '#chat/events.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { readErrorBodyMetadata } from '../../providers/errors/error-metadata.ts'
import { readPageText } from '../../providers/errors/error-page.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import { type AttemptFailure, failureFromStatus } from '../failure/failure.ts'
import { findImpliedStatus } from '../failure/refined-status.ts'
import { failureFromReportedError } from '../failure/reported-failure.ts'
import { type HeaderWaits, readBodyWait } from '../failure/wait-times.ts'
import { maskSecrets } from '../secrets/mask-secrets.ts'

/** An error within a response, with the usage that the provider reports beside it. */
export type ErrorEvent = Extract<CompletionEvent, { type: 'error' }> & { usage?: UsageEvent }

/** The error among events that were read together; undefined if there is none. */
export function findErrorEvent(events: readonly CompletionEvent[]): ErrorEvent | undefined {
  const error = events.find((event) => event.type === 'error')
  const usage = error && events.findLast((event) => event.type === 'usage')
  return usage ? { ...error, usage } : error
}

/**
 * The failure of an attempt whose response has the status of an error.
 * @param text the body of the response.
 */
export function failureFromErrorBody(
  attempt: AttemptRequest,
  status: number,
  text: string,
  waits: HeaderWaits,
  now: number,
): AttemptFailure {
  const body = parseJsonOr(text, undefined)
  const message = String(attempt.providerProtocol.readErrorMessage(body) || readPageText(text))
  const facts = readErrorBodyMetadata(body)
  facts.retryAfterMs ??= readBodyWait(body, now)
  return failureFromReportedError(attempt, status, message, { status, ...facts }, waits)
}

/** The failure of an attempt whose response reports an error. */
export function failureFromErrorEvent(attempt: AttemptRequest, error: ErrorEvent, waits: HeaderWaits): AttemptFailure {
  const message = String(error.message)
  const status = error.status ?? findImpliedStatus(error.code, message) ?? 502
  const { usage, ...facts } = error
  const failure = failureFromReportedError(attempt, status, message, facts, waits)
  return { ...failure, reason: `error ${status} within the response`, ...(usage && { reportedUsage: usage }) }
}

/** The failure of an attempt whose response ended before its last event. */
export const failureFromTruncatedResponse = (): AttemptFailure =>
  failureFromUnusableResponse('a response that ended too early', 'The provider ended its response too early.')

/** The failure of an attempt whose response violates the protocol. @param credential is removed from the message. */
export function failureFromUnreadableResponse(error: Error, credential: string | undefined): AttemptFailure {
  const cause = maskSecrets(error.message, credential)
  return failureFromUnusableResponse(
    'a response that cannot be read',
    `The provider's response cannot be read: ${cause}.`,
  )
}

/** The provider may have generated and billed all of an unusable response. */
const failureFromUnusableResponse = (reason: string, message: string): AttemptFailure => ({
  ...failureFromStatus(502, undefined),
  wasSent: true,
  reason,
  message,
})
