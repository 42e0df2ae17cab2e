import type { RequestBound } from '../admission/bounds/lazy-usage-bound.ts'
import type { AttemptFailure } from '../attempt/failure/failure.ts'
import type { Target } from '../plan/plan.ts'
import { findUnpricedUnits } from '../pricing/missing-prices.ts'
import type { Charge } from './charge/charge.ts'

/** An endpoint that was tried, whether with a BYOK key, and the usage bound of the request. */
export type TriedEndpoint = {
  target: Target
  byok: boolean
  bound: RequestBound
  /** Whether it stops generating and billing when the connection closes. */
  stopsOnDisconnect: boolean
}

/** The end of an attempt of which something reached the client. */
export type ResponseEnd = {
  /** Undefined if the response is complete. */
  failure: AttemptFailure | undefined
  /** Whether the client disconnected before the end. */
  hasClientLeft: boolean
  isFullyRead: boolean
}

/** How an attempt ended. */
export type AttemptEnd = {
  /** Whether all tokens were read as soon as they were generated, so that none are unread behind back-pressure. */
  isFullyRead: boolean
  /** Whether the endpoint ended the response. */
  hasEnded: boolean
  /** By the monotonic clock. */
  at: number
}

/** The billed units without a price. Requested ones count too, because a provider may bill them without a report. */
export function findUnpriced({ target, bound }: TriedEndpoint, { tokens, extras }: Charge): string[] | undefined {
  if (!extras && !tokens.parts && bound.isWithinBound(tokens)) return undefined
  const possible = bound.exactBound.extraUsageBound?.unpriced.map(({ price }) => price) ?? []
  const reported = findUnpricedUnits(target.endpoint.prices, tokens, extras)
  return possible.length + reported.length > 0 ? [...new Set([...possible, ...reported])] : undefined
}
