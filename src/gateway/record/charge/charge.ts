import type { Prices } from '#catalogue/index/model.ts'
import type { TokenCounts } from '#chat/events.ts'
import { minPico, type PicoUsd } from '#platform/core/pico-usd.ts'
import { estimateTokens } from '#platform/text/token-estimate.ts'
import type { RequestBound } from '../../admission/bounds/lazy-usage-bound.ts'
import type { UsageBound } from '../../admission/bounds/usage-bound.ts'
import { costOf } from '../../pricing/cost.ts'
import { highestCost } from '../../pricing/highest-cost.ts'
import { type BillableCounts, isPlausible } from '../response-counter.ts'
import {
  type BilledUsage,
  computeBilledUsage,
  countUnlimitedUnits,
  limitToBound,
  maxReportableCost,
} from './billed-usage.ts'

/** The charge for a request. */
export type Charge = BilledUsage & {
  /** Whether the tokens are estimated because the provider did not count them to the end. */
  isEstimated: boolean
  /** Charged to limits in addition to `cost`. If `cost` is an estimate, the sum is the highest possible cost. */
  margin: PicoUsd
}

/** The most tokens that frame a tool call: its id and markup. An assumption. */
const maxCallFrameTokens = 512

/** The most tokens that are in transit when a response is cut off, if its time does not limit them further. An assumption. */
const maxTokensInTransit = 512

/** The most tokens that an endpoint can have generated for a response without an end. */
export type GeneratedTokens = {
  total: number
  /** The tokens that were generated after the last received one. */
  unreceived: number
}

/** The end of a response, in addition to its counts. */
export type ResponseEnd = {
  /** Whether all tokens were read as soon as they were generated, so that none are unread behind back-pressure. */
  isFullyRead: boolean
  /** The most tokens that can be generated in its duration; undefined if the endpoint may have generated for longer. */
  generatedTokens: GeneratedTokens | undefined
}

/** The facts of a request that its charge depends on, beside the response. */
export type BilledRequest = {
  /** The prices of the endpoint. */
  prices: Prices
  /** The most that the endpoint can bill for the request. */
  bound: RequestBound
  /** Estimates the tokens of the prompt, if the provider does not count them. */
  promptEstimate: () => number
}

/** The charge for a response: by the provider's final count, or else an estimate. */
export function computeCharge(
  { prices, bound, promptEstimate }: BilledRequest,
  counts: BillableCounts,
  end: ResponseEnd,
): Charge {
  const { reportedTokens, extras } = counts
  if (reportedTokens && counts.isFinal)
    return { ...computeBilledUsage(prices, reportedTokens, extras, bound), isEstimated: false, margin: 0n }
  const prompt = promptEstimate()
  const usage = computeBilledUsage(prices, estimateTokenCounts(counts, prompt), extras, bound)
  const estimate = { prompt, completion: usage.tokens.completion }
  const maxCost = highestPossibleCost(prices, counts, estimate, bound.exactBound, end)
  const margin = maxCost > usage.cost ? maxCost - usage.cost : 0n
  return { ...usage, isEstimated: true, isCapped: false, margin }
}

/** The cost of a response, by its reported tokens if they are plausible. */
export function computeResponseCost(
  { prices, bound, promptEstimate }: BilledRequest,
  tokens: TokenCounts,
  counts: BillableCounts,
): PicoUsd {
  const charged = isPlausible(tokens, counts.bytes)
    ? tokens
    : estimateTokenCounts({ ...counts, reportedTokens: tokens }, promptEstimate())
  return computeBilledUsage(prices, charged, counts.extras, bound).cost
}

/**
 * The highest cost that a response without a final count can have.
 * @param estimate its prompt and the received tokens. They are charged even if they came faster than any measured response.
 */
function highestPossibleCost(
  prices: Prices,
  counts: BillableCounts,
  estimate: Pick<TokenCounts, 'prompt' | 'completion'>,
  usageBound: UsageBound,
  end: ResponseEnd,
): PicoUsd {
  const completion = Math.max(estimate.completion, maxGenerated(counts, usageBound, end))
  const { reportedTokens, extras } = counts
  if (!reportedTokens || !isPromptCounted(reportedTokens, estimate.prompt, usageBound))
    return highestCost(
      prices,
      usageBound.prompt,
      completion,
      usageBound.extraUsageBound,
      countUnlimitedUnits(extras, usageBound),
    )
  const tokens = { ...limitToBound(reportedTokens, usageBound), completion: 0, reasoning: 0 }
  const response = highestCost(prices, tokens.prompt, completion) - highestCost(prices, tokens.prompt, 0)
  return minPico(costOf(prices, tokens, extras) + response, maxReportableCost(prices, extras, usageBound))
}

/**
 * Whether a count from before the end has the tokens of the prompt. Some servers send zero or one at first. No tokenizer
 * makes less than half of the estimated tokens.
 */
function isPromptCounted({ prompt }: TokenCounts, estimate: number, { isSequential }: UsageBound): boolean {
  return isSequential && prompt > 0 && 2 * prompt >= estimate
}

/** The highest number of tokens that can have been generated, limited by the received bytes and by time. */
function maxGenerated(
  { bytes, reasoningBytes, toolCalls }: BillableCounts,
  usageBound: UsageBound,
  { isFullyRead, generatedTokens = unlimited }: ResponseEnd,
): number {
  const maxCompletion = Math.min(usageBound.completion, generatedTokens.total)
  if (!isFullyRead || usageBound.hasHiddenTokens || reasoningBytes > 0) return maxCompletion
  const inTransit = Math.min(maxTokensInTransit, generatedTokens.unreceived)
  return Math.min(maxCompletion, bytes + toolCalls * maxCallFrameTokens + inTransit)
}

const unlimited: GeneratedTokens = { total: Number.POSITIVE_INFINITY, unreceived: Number.POSITIVE_INFINITY }

/** Estimates the tokens. Counts that the provider reported are the minimum. */
function estimateTokenCounts({ bytes, reasoningBytes, reportedTokens }: BillableCounts, prompt: number): TokenCounts {
  return {
    ...reportedTokens,
    prompt: Math.max(reportedTokens?.prompt ?? 0, prompt),
    completion: Math.max(reportedTokens?.completion ?? 0, estimateTokens(bytes)),
    cached: reportedTokens?.cached ?? 0,
    cacheWritten: reportedTokens?.cacheWritten ?? 0,
    reasoning: Math.max(reportedTokens?.reasoning ?? 0, estimateTokens(reasoningBytes)),
  }
}
