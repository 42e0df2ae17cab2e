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
  /** Charged to limits in addition to `cost`. If `cost` is an estimate, the sum is the highest possible cost. */
  margin: PicoUsd
}

/** Tokens that may have been generated but not received when an answer is cut off: text in transit, or its frame. */
const tokensInFlight = 512

/**
 * The charge for an answer: by the provider's final count, or else an estimate.
 * @param isComplete whether everything that was generated was read as it came.
 */
export function chargeFor(
  prices: Prices,
  counted: Counted,
  promptEstimate: () => number,
  requestBound: RequestBound,
  isComplete: boolean,
): Charge {
  const { reported, extras } = counted
  if (reported && counted.isFinal) {
    const usage = billedUsage(prices, reported, extras, requestBound)
    const capped = usage.tokens.prompt < reported.prompt || usage.tokens.completion < reported.completion
    return { ...usage, estimated: false, capped, cost: costOf(prices, usage.tokens, usage.extras), margin: 0n }
  }
  const max = requestBound.whole
  const usage = billedUsage(prices, estimateOf(counted, promptEstimate()), extras, requestBound)
  const cost = costOf(prices, usage.tokens, usage.extras)
  const bound = highestCost(prices, max.prompt, maxGenerated(counted, max, isComplete), max.bill, usage.extras?.pieces)
  return { ...usage, estimated: true, capped: false, cost, margin: bound > cost ? bound - cost : 0n }
}

/** The counted tokens as they are billed, within the usage bound. */
export function billedUsage(
  prices: Prices,
  tokens: TokenCounts,
  extras: Extras | undefined,
  requestBound: RequestBound,
): SettledUsage {
  if (requestBound.surelyAllows(tokens)) return settledUsage(undefined, prices, { tokens, extras })
  const max = requestBound.whole
  return settledUsage(max.bill, prices, { tokens: limitToBound(tokens, max), extras })
}

/** The highest number of tokens that can have been generated: each token has at least one byte. */
function maxGenerated({ bytes, reasoningBytes, toolCalls }: Counted, max: UsageBound, isComplete: boolean): number {
  if (!isComplete || max.hidden || reasoningBytes > 0) return max.completion
  return Math.min(max.completion, bytes + (toolCalls + 1) * tokensInFlight)
}

/** Estimates the tokens. Counts that the provider reported before the end are the minimum. */
function estimateOf({ bytes, reasoningBytes, reported }: Counted, prompt: number): TokenCounts {
  return {
    ...reported,
    prompt: Math.max(reported?.prompt ?? 0, prompt),
    completion: Math.max(reported?.completion ?? 0, estimateTokens(bytes)),
    cached: reported?.cached ?? 0,
    cacheWritten: reported?.cacheWritten ?? 0,
    reasoning: Math.max(reported?.reasoning ?? 0, estimateTokens(reasoningBytes)),
  }
}

/** Limits reported counts to the usage bound of the request. */
function limitToBound(tokens: TokenCounts, { reportablePrompt, completion: max }: UsageBound): TokenCounts {
  if (tokens.prompt <= reportablePrompt && tokens.completion <= max) return tokens
  const prompt = Math.min(tokens.prompt, reportablePrompt)
  const completion = Math.min(tokens.completion, max)
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
