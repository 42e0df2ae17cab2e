import { isFree } from '../../pricing/missing-prices.ts'
import type { ResponseTally } from '../response-counter.ts'
import type { AttemptEnd, TriedEndpoint } from '../tried-endpoint.ts'
import type { GeneratedTokens } from './charge.ts'

/** The longest time for tokens in transit, and until a provider notices that the connection has closed. */
const maxTransitMs = 250

/** Covers one step of generation, and clocks that count whole milliseconds. */
const minTransitMs = 25

/** Responses can be faster than the fastest one of the last half hour. */
const speedMargin = 1.2

/**
 * The time in which an endpoint generates tokens that the service does not receive, because the end of the connection has
 * not reached it. That is one round trip at most, which the wait for the first content of the response includes.
 */
function transitMs(sentAt: number, firstTokenAt: number | undefined): number {
  if (firstTokenAt === undefined) return maxTransitMs
  return Math.min(maxTransitMs, Math.max(minTransitMs, firstTokenAt - sentAt))
}

/** The most tokens that an endpoint can have generated in a time. @param fastest its fastest response, in tokens per second. */
function tokensWithin(ms: number, fastest: number): number {
  return Math.ceil((Math.max(0, ms) / 1000) * fastest * speedMargin)
}

/**
 * The most tokens that can be generated in the duration of a response. Undefined if the duration does not limit them: the
 * speed of the endpoint is unknown, it generates several responses at once, or it may have continued after the end.
 * @param sentAt when the request was sent, by the monotonic clock.
 * @param fastest the endpoint's fastest response, in tokens per second; null if it is unknown.
 */
export function generatedTokensBound(
  { bound, stopsOnDisconnect }: TriedEndpoint,
  { hasEnded, at }: AttemptEnd,
  { firstTokenAt, lastTokenAt }: Pick<ResponseTally, 'firstTokenAt' | 'lastTokenAt'>,
  sentAt: number,
  fastest: number | null,
): GeneratedTokens | undefined {
  const { hasHiddenTokens, isSequential } = bound.exactBound
  if (fastest === null || !isSequential || !(hasEnded || stopsOnDisconnect)) return undefined
  const stoppedAt = at + transitMs(sentAt, firstTokenAt)
  return {
    total: tokensWithin(stoppedAt - (hasHiddenTokens ? sentAt : (firstTokenAt ?? sentAt)), fastest),
    unreceived: tokensWithin(stoppedAt - (lastTokenAt ?? sentAt), fastest),
  }
}

/**
 * Whether a response must be read after its client disconnected, because only its usage shows what it costs. That is so if
 * the endpoint continues to generate, or if it may generate hidden tokens at an unknown speed.
 * @param fastest the endpoint's fastest response, in tokens per second; null if it is unknown.
 */
export function needsUsage({ target, bound, stopsOnDisconnect }: TriedEndpoint, fastest: number | null): boolean {
  // Where text is free, images and calls of tools can have a price.
  if (isFree(target.endpoint.prices) && !bound.exactBound.extraUsageBound) return false
  if (!stopsOnDisconnect) return true
  const { hasHiddenTokens, isSequential } = bound.exactBound
  return hasHiddenTokens && !(isSequential && fastest !== null)
}
