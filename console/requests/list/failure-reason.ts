import type { Generation } from '../../api/types.ts'
import { ruleLabel } from '../../components/policy/rule-label.ts'

type FailedRequest = Pick<Generation, 'attempts' | 'error'>
type Attempt = Generation['attempts'][number]

/** Why endpoints were skipped. */
const skipReasons: Record<string, string> = {
  not_reached: 'next, not needed',
  troubled: 'lower rank: recent failures',
  circuit_shut: 'lower rank: open circuit',
  slow: 'lower rank: slower than preferred',
  guardrail: 'blocked by a guardrail',
  unconfigured: 'no credential',
  not_priceable: 'no price for what it would bill',
  no_fallbacks: 'fallbacks disabled',
  unavailable_now: 'open circuit',
  context_too_small: 'prompt too long',
  provider_ignored: 'provider ignored by the request',
  provider_not_listed: 'provider not chosen by the request',
  data_policy: 'data policy of the request',
  quantization: 'quantization not accepted',
  unsupported_task: 'operation not supported',
  unsupported_parameter: 'parameter not supported',
  unsupported_tool: 'provider tool not supported',
  unsupported_input: 'input type not supported',
  one_answer: 'only one choice per request',
  too_expensive: 'over max_price',
}

export const skipReason = (reason: string) => skipReasons[reason] ?? reason.replaceAll('_', ' ')

/** Short descriptions of outcomes and failures by kind. */
export const outcomeLabels: Record<string, string> = {
  answered: 'success',
  broke: 'interrupted',
  client_left: 'client disconnected',
  circuit_open: 'skipped: open circuit',
  rate_limited: 'rate limit',
  unauthenticated: 'credential rejected',
  payment_required: 'no credit left',
  bad_gateway: 'provider failed',
  gateway_timeout: 'timeout',
  request_timeout: 'timeout',
  unavailable: 'service not available',
  not_found: 'no such model',
  invalid: 'invalid request',
  forbidden: 'not allowed',
  payload_too_large: 'request too large',
  internal: 'internal error',
}

const kindLabel = (kind: string | undefined) => outcomeLabels[kind ?? ''] ?? (kind ?? 'unknown').replaceAll('_', ' ')

/** The reason of a refusal or failure in a few words. */
export function failureReason({ error, attempts }: FailedRequest): string {
  if (error?.reason === 'context_length_exceeded') return 'prompt too long'
  if (error?.rule) return limitState(error.kind, ruleLabel(error.rule))
  const excluded = error?.excluded ?? []
  if (excluded.length > 0) return exclusionLabel(excluded.map(({ reason }) => reason))
  const last = attempts.findLast(({ outcome }) => outcome !== 'circuit_open')
  if (last) return attemptReason(last)
  return attempts.length > 0 ? 'open circuit' : kindLabel(error?.kind)
}

/** A limit that is reserved by requests in flight gives the kind `rate_limited`. */
const limitState = (kind: string, label: string) => (kind === 'rate_limited' ? `${label} (reserved)` : label)

const maxReasons = 2

/** The reasons of several endpoints. A missing credential matters only if nothing else is wrong. */
function exclusionLabel(reasons: string[]): string {
  const distinct = [...new Set(reasons)]
  const relevant = distinct.length > 1 ? distinct.filter((reason) => reason !== 'unconfigured') : distinct
  const more = relevant.length > maxReasons ? ', …' : ''
  return relevant.slice(0, maxReasons).map(skipReason).join(', ') + more
}

/** The meaning of a provider's error status. */
const statusLabels: Record<number, string> = {
  400: 'provider rejected the request',
  401: 'provider rejected the credential',
  402: 'provider account has no credit',
  403: 'provider denied access',
  404: 'provider does not have the model',
  407: 'provider rejected the credential',
  408: 'provider timed out',
  413: 'request too large for the provider',
  422: 'provider rejected the request',
  429: 'provider rate limit',
  503: 'provider overloaded',
  504: 'provider timed out',
  529: 'provider overloaded',
}

/** The reason why an attempt failed, in a few words. */
export function attemptReason({ outcome, reason = '', error }: Attempt): string {
  const status = error?.status ?? Number(/^(?:status|error) (\d+)/.exec(reason)?.[1])
  if (outcome === 'broke')
    return /within the (answer|response)/.test(reason) ? 'provider failed in its response' : transportReason(reason)
  if (statusLabels[status]) return statusLabels[status]
  if (status >= 400) return 'provider failed'
  return reason === '' ? kindLabel(outcome) : transportReason(reason)
}

/** Labels a failure without an error of the provider, by words of the recorded reason (`src/gateway/attempt/answer/answer-failure.ts`). */
function transportReason(reason: string): string {
  if (/no byte|timeout/.test(reason)) return 'provider timed out'
  if (reason.includes('ended too early')) return 'response ended early'
  if (reason.includes('cannot be read')) return 'unreadable response'
  if (/\((connect|first_byte|answer)\)/.test(reason)) return 'connection failed'
  return reason
}
