import type { UsageEvent } from '#chat/events.ts'
import { Fault, type FaultKind } from '#platform/core/fault.ts'
import type { ProviderError } from '#spend/ledger/generation.ts'
import { contextLengthError } from '../../plan/context-length.ts'
import type { Target } from '../../plan/plan.ts'
import { type ContextSizes, readContextError } from '../../providers/errors/context-errors.ts'
import type { TransportFailure } from '../upstream/upstream.ts'

/** The reason why an attempt failed. */
export type AttemptFailure = {
  /** The kind of the fault for the client. */
  kind: FaultKind
  message: string
  /** Whether another endpoint can be tried. */
  canTryNext: boolean
  retryAfterMs: number | undefined
  /** The upstream's error message, with secrets masked. */
  providerMessage: string | undefined
  /** The upstream's error code. */
  providerCode?: string | undefined
  /** The upstream's machine-readable details, as JSON without secrets. */
  providerDetails?: string | undefined
  /** Whether the request was sent, so that the provider can bill it. */
  wasSent?: boolean
  /** The usage that the provider reported with the error, and bills. */
  reportedUsage?: UsageEvent
  /** The connection broke. */
  isConnectionLost?: boolean
  /** The prompt is longer than the endpoint's context. */
  contextSizes?: ContextSizes
  /** Whether the endpoint is the cause, not the request. */
  isCausedByEndpoint: boolean
  /** The reason for logs and records, without text of the provider. */
  reason: string
  /** The provider's error for the record; undefined if it returned none. */
  providerError?: ProviderError
}

/** The most characters of a provider's message that the client gets. */
const maxRawLength = 2000

/** The owner of the credential that was used: the service or the workspace. */
export type CredentialOwner = 'service' | 'workspace'

const credentialRefusedMessages: Record<CredentialOwner, string> = {
  service: 'The provider refused this service’s credential.',
  workspace: 'The provider refused the key of this workspace (GET /byok lists its keys).',
}

/** Translates an upstream's error status. A refused credential becomes 502, without details except its owner. */
export function failureFromStatus(
  status: number,
  message: string | undefined,
  retryAfterMs?: number,
  owner: CredentialOwner = 'service',
): AttemptFailure {
  const raw = message?.slice(0, maxRawLength)
  const failure = (kind: FaultKind, text: string): AttemptFailure => ({
    kind,
    message: text,
    // Another endpoint would refuse an invalid request too.
    canTryNext: kind !== 'invalid',
    retryAfterMs,
    providerMessage: raw,
    isCausedByEndpoint: isEndpointFault(status),
    reason: `status ${status}`,
  })
  switch (status) {
    case 400:
    case 422:
      return failure('invalid', raw ?? 'The provider refused the request as invalid.')
    case 401:
    case 407:
      return { ...failure('bad_gateway', credentialRefusedMessages[owner]), providerMessage: undefined }
    case 402:
      return failure('payment_required', 'The provider says that its account has no credit left.')
    case 403:
      return failure('forbidden', raw ?? 'The provider refused the request.')
    case 404:
    // A model that was withdrawn.
    case 410:
      return failure('not_found', 'The provider does not have this model.')
    case 408:
    case 504:
      return failure('request_timeout', 'The provider did not respond in time.')
    case 413:
      return failure('payload_too_large', raw ?? 'The request is too large for the provider.')
    case 429:
    // Groq's flex tier has no capacity.
    case 498:
      return failure('rate_limited', 'The provider limits the rate of requests.')
    default:
      if (status >= 500) return failure('bad_gateway', 'The provider failed.')
      return failure('bad_gateway', `The provider returned the unexpected status ${status}.`)
  }
}

/** The 4xx statuses about the account, the credential or the provider's limits, and not about the request. */
const accountStatuses: ReadonlySet<number> = new Set([401, 402, 407, 408, 429, 498])

const isEndpointFault = (status: number) => status < 400 || status >= 500 || accountStatuses.has(status)

/** Marks a failure caused by the prompt's length, so that endpoints with more context are tried. */
export function markPromptTooLong(failure: AttemptFailure, message: string | undefined): AttemptFailure {
  // The message of a rate limit can name tokens in the same words.
  if (failure.kind === 'rate_limited') return failure
  const contextSizes = readContextError(failure.providerCode, message)
  if (!contextSizes) return failure
  return { ...failure, kind: 'invalid', canTryNext: true, isCausedByEndpoint: false, contextSizes }
}

/** The failure of an attempt whose connection failed: before a response, or in the middle of one. */
export function failureFromTransport({ kind, phase, message, explanation }: TransportFailure): AttemptFailure {
  const wasSent = phase !== 'connect'
  if (kind === 'timeout') {
    const reason = `${message} (${phase})`
    return { ...failureFromStatus(408, undefined), reason, providerMessage: reason, wasSent }
  }
  const summary =
    phase === 'response'
      ? 'The connection to the provider broke during its response.'
      : 'The provider cannot be reached.'
  const fullMessage = explanation === undefined ? summary : `${summary.slice(0, -1)}: ${explanation}.`
  const failure = { ...failureFromStatus(502, undefined), message: fullMessage }
  const reason = [`${kind} (${phase})`, explanation].filter(Boolean).join(': ')
  return { ...failure, reason, wasSent, isConnectionLost: kind === 'reset' && wasSent }
}

/** The failure of the last attempt, as a fault for the client. */
export function toClientFault(failure: AttemptFailure, target: Target): Fault {
  const metadata = {
    provider_name: target.endpoint.provider,
    ...(failure.providerMessage && { raw: failure.providerMessage }),
    ...(failure.providerMessage && failure.providerCode && { provider_code: failure.providerCode }),
    ...(failure.providerMessage &&
      failure.providerDetails && { provider_details: JSON.parse(failure.providerDetails) }),
  }
  if (failure.contextSizes) {
    const { limit = target.endpoint.contextLength, tokens } = failure.contextSizes
    const { message, details } = contextLengthError(limit, tokens, metadata)
    return new Fault('invalid', message, details)
  }
  return new Fault(failure.kind, failure.message, {
    metadata,
    ...(failure.retryAfterMs !== undefined && { retryAfterSeconds: failure.retryAfterMs / 1000 }),
  })
}
