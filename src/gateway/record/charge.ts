import type { Prices } from '#catalogue/index/model.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { estimateTokens } from '#platform/text/token-estimate.ts'
import type { RequestBound } from '../admission/bounds/lazy-usage-bound.ts'
import type { UsageBound } from '../admission/bounds/usage-bound.ts'
import { costOf } from '../pricing/cost.ts'
import { highestCost } from '../pricing/highest-cost.ts'
import type { Counted } from './answer-tally.ts'
import { type SettledUsage, settledUsage } from './settled-usage.ts'

/** The charge for a request. */
export type Charge = {
  tokens: TokenCounts
  extras: Extras | undefined
  /** Whether the tokens are estimated because the provider did not count them to the end. */
  estimated: boolean
  /** Whether the provider counted more than the request could use. The charge is then limited to what was possible. */
  capped: boolean
  cost: PicoUsd
  /**
   * The amount that limits are charged in addition. If nobody counted, `cost` is an estimate, and limits are charged
   * the most that it can be.
   */
  margin: PicoUsd
}

/**
 * Tokens that may have been generated but not seen when an answer is broken off: text still on its way, or its frame.
 */
const tokensUnderWay = 512

/** @param seen whether the answer came as it was generated, so that what is not seen of it is only under way. */
export function chargeFor(
  prices: Prices,
  counted: Counted,
  promptEstimate: () => number,
  requestBound: RequestBound,
  seen: boolean,
): Charge {
  const { told, extras } = counted
  if (told && counted.isFinal) {
    const took = billed(prices, told, extras, requestBound)
    const capped = took.tokens.prompt < told.prompt || took.tokens.completion < told.completion
    return { ...took, estimated: false, capped, cost: costOf(prices, took.tokens, took.extras), margin: 0n }
  }
  const most = requestBound.whole
  const took = billed(prices, estimateOf(counted, promptEstimate()), extras, requestBound)
  const cost = costOf(prices, took.tokens, took.extras)
  const bound = highestCost(prices, most.prompt, mostGenerated(counted, most, seen), most.bill, took.extras?.pieces)
  return { ...took, estimated: true, capped: false, cost, margin: bound > cost ? bound - cost : 0n }
}

/** The counted tokens as they are billed, within the usage bound. */
export function billed(
  prices: Prices,
  tokens: TokenCounts,
  extras: Extras | undefined,
  requestBound: RequestBound,
): SettledUsage {
  if (requestBound.surelyAllows(tokens)) return settledUsage(undefined, prices, { tokens, extras })
  const most = requestBound.whole
  return settledUsage(most.bill, prices, { tokens: asPossible(tokens, most), extras })
}

/** No token is shorter than a byte. */
function mostGenerated({ bytes, thoughtBytes, toolCalls }: Counted, most: UsageBound, seen: boolean): number {
  if (!seen || most.hidden || thoughtBytes > 0) return most.completion
  return Math.min(most.completion, bytes + (toolCalls + 1) * tokensUnderWay)
}

/** A count that broke off says at least so much. */
function estimateOf({ bytes, thoughtBytes, told }: Counted, prompt: number): TokenCounts {
  return {
    ...told,
    prompt: Math.max(told?.prompt ?? 0, prompt),
    completion: Math.max(told?.completion ?? 0, estimateTokens(bytes)),
    cached: told?.cached ?? 0,
    cacheWritten: told?.cacheWritten ?? 0,
    reasoning: Math.max(told?.reasoning ?? 0, estimateTokens(thoughtBytes)),
  }
}

/** A count beyond what the request made possible is none: what was possible takes its place. */
function asPossible(tokens: TokenCounts, { promptTold, completion: most }: UsageBound): TokenCounts {
  if (tokens.prompt <= promptTold && tokens.completion <= most) return tokens
  const prompt = Math.min(tokens.prompt, promptTold)
  const completion = Math.min(tokens.completion, most)
  const cached = Math.min(tokens.cached, prompt)
  return {
    ...tokens,
    prompt,
    completion,
    cached,
    cacheWritten: Math.min(tokens.cacheWritten, prompt - cached),
    reasoning: Math.min(tokens.reasoning, completion),
  }
}
