import type { CompletionEvent } from '#chat/events.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { readErrorBodyMetadata } from '../../providers/errors/error-metadata.ts'
import { readPageText } from '../../providers/errors/error-page.ts'
import type { AttemptRequest } from '../attempt-request.ts'
import { type AttemptFailure, failureFromStatus } from '../failure/failure.ts'
import { findNamedStatus } from '../failure/refined-status.ts'
import { failureFromReportedError } from '../failure/reported-failure.ts'
import { type HeaderWaits, readBodyWait } from '../failure/wait-times.ts'
import { maskSecrets } from '../secrets/mask-secrets.ts'

/** An error within a response. */
export type ErrorEvent = Extract<CompletionEvent, { type: 'error' }>

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
  const status = error.status ?? findNamedStatus(error.code, message) ?? 502
  const failure = failureFromReportedError(attempt, status, message, error, waits)
  return { ...failure, reason: `error ${status} within the response` }
}

/** The failure of an attempt whose response ended before its last event. */
export const failureFromTruncatedAnswer = (): AttemptFailure =>
  failureFromUnusableAnswer('a response that ended too early', 'The provider ended its response too early.')

/** The failure of an attempt whose response violates the protocol. @param credential is removed from the message. */
export function failureFromUnreadableAnswer(error: Error, credential: string | undefined): AttemptFailure {
  const cause = maskSecrets(error.message, credential)
  return failureFromUnusableAnswer(
    'a response that cannot be read',
    `The provider's response cannot be read: ${cause}.`,
  )
}

/** The provider may have generated and billed all of an unusable response. */
const failureFromUnusableAnswer = (reason: string, message: string): AttemptFailure => ({
  ...failureFromStatus(502, undefined),
  wasSent: true,
  reason,
  message,
})
