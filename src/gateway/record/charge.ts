import type { Prices } from '#catalogue/index/model.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { estimateTokens } from '#platform/text/token-estimate.ts'
import type { RequestBound } from '../admission/bounds/lazy-usage-bound.ts'
import type { UsageBound } from '../admission/bounds/usage-bound.ts'
import { costOf } from '../pricing/cost.ts'
import { highestCost } from '../pricing/highest-cost.ts'
import type { ModelUsage } from '../pricing/model-usage.ts'
import { type BillableCounts, isPlausible } from './answer-counter.ts'
import { type SettledUsage, settledUsage } from './settled-usage.ts'

/** The charge for a request. */
export type Charge = {
  tokens: TokenCounts
  extras: Extras | undefined
  /** The tokens of other models that worked on the answer. They are included in `tokens`. */
  models?: readonly ModelUsage[]
  /** Whether the tokens are estimated because the provider did not count them to the end. */
  estimated: boolean
  /** Whether the provider counted more than the request could use. The charge is then limited to what was possible. */
  capped: boolean
  cost: PicoUsd
  /** Charged to limits in addition to `cost`. If `cost` is an estimate, the sum is the highest possible cost. */
  margin: PicoUsd
}

/** The most tokens that frame a tool call: its id and markup. An assumption. */
const maxCallFrameTokens = 512

/** The most tokens that are in transit when an answer is cut off, if its time does not limit them further. An assumption. */
const maxTokensInTransit = 512

/** The most tokens that an endpoint can have generated for an answer without an end. */
export type GeneratedTokens = {
  total: number
  /** The tokens that were generated after the last received one. */
  unreceived: number
}

/** The end of an answer, in addition to its counts. */
export type AnswerEnd = {
  /** Whether all tokens were read as soon as they were generated, so that none are unread behind back-pressure. */
  isFullyRead: boolean
  /** The most tokens that can be generated in its duration; undefined if the endpoint may have generated for longer. */
  generated: GeneratedTokens | undefined
}

/** The charge for an answer: by the provider's final count, or else an estimate. */
export function chargeFor(
  prices: Prices,
  counts: BillableCounts,
  promptEstimate: () => number,
  requestBound: RequestBound,
  end: AnswerEnd,
): Charge {
  const { reported, extras } = counts
  if (reported && counts.isFinal) {
    const usage = billedUsage(prices, reported, extras, requestBound)
    const capped = usage.tokens.prompt < reported.prompt || usage.tokens.completion < reported.completion
    return {
      ...usage,
      estimated: false,
      capped,
      cost: costOf(prices, usage.tokens, usage.extras, usage.models),
      margin: 0n,
    }
  }
  const estimate = promptEstimate()
  const usage = billedUsage(prices, estimateTokenCounts(counts, estimate), extras, requestBound)
  const cost = costOf(prices, usage.tokens, usage.extras, usage.models)
  const bound = highestPossibleCost(
    prices,
    counts,
    { prompt: estimate, completion: usage.tokens.completion },
    requestBound.exact,
    end,
  )
  return { ...usage, estimated: true, capped: false, cost, margin: bound > cost ? bound - cost : 0n }
}

/** The cost of an answer, by its reported tokens if they are plausible. */
export function costOfAnswer(
  prices: Prices,
  tokens: TokenCounts,
  counts: BillableCounts,
  bound: RequestBound,
  promptEstimate: () => number,
): PicoUsd {
  const charged = isPlausible(tokens, counts.bytes)
    ? tokens
    : estimateTokenCounts({ ...counts, reported: tokens }, promptEstimate())
  const usage = billedUsage(prices, charged, counts.extras, bound)
  return costOf(prices, usage.tokens, usage.extras, usage.models)
}

/** The counted tokens as they are billed, within the usage bound. */
export function billedUsage(
  prices: Prices,
  tokens: TokenCounts,
  extras: Extras | undefined,
  requestBound: RequestBound,
): SettledUsage {
  if (requestBound.isWithinBound(tokens)) return settledUsage(undefined, prices, { tokens, extras })
  const max = requestBound.exact
  return settledUsage(max.bill, prices, { tokens: limitToBound(tokens, max), extras })
}

/**
 * The highest cost that an answer without a final count can have.
 * @param estimate its prompt and the received tokens. They are charged even if they came faster than any measured answer.
 */
function highestPossibleCost(
  prices: Prices,
  counts: BillableCounts,
  estimate: Pick<TokenCounts, 'prompt' | 'completion'>,
  max: UsageBound,
  end: AnswerEnd,
): PicoUsd {
  const completion = Math.max(estimate.completion, maxGenerated(counts, max, end))
  const { reported, extras } = counts
  if (!reported || !isPromptCounted(reported, estimate.prompt, max))
    return highestCost(prices, max.prompt, completion, max.bill, extras?.pieces)
  const tokens = { ...limitToBound(reported, max), completion: 0, reasoning: 0 }
  const answer = highestCost(prices, tokens.prompt, completion) - highestCost(prices, tokens.prompt, 0)
  return costOf(prices, tokens, extras) + answer
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
  max: UsageBound,
  { isFullyRead, generated = unlimited }: AnswerEnd,
): number {
  const maxCompletion = Math.min(max.completion, generated.total)
  if (!isFullyRead || max.hasHiddenTokens || reasoningBytes > 0) return maxCompletion
  const inTransit = Math.min(maxTokensInTransit, generated.unreceived)
  return Math.min(maxCompletion, bytes + toolCalls * maxCallFrameTokens + inTransit)
}

const unlimited: GeneratedTokens = { total: Number.POSITIVE_INFINITY, unreceived: Number.POSITIVE_INFINITY }

/** Estimates the tokens. Counts that the provider reported are the minimum. */
export function estimateTokenCounts({ bytes, reasoningBytes, reported }: BillableCounts, prompt: number): TokenCounts {
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
