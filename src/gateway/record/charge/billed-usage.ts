import type { Prices } from '#catalogue/index/model.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import { minPico, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { RequestBound } from '../../admission/bounds/lazy-usage-bound.ts'
import type { UsageBound } from '../../admission/bounds/usage-bound.ts'
import { costOf } from '../../pricing/cost.ts'
import { highestCost } from '../../pricing/highest-cost.ts'
import { type SettledUsage, settledUsage } from '../../pricing/settled-usage.ts'

export type BilledUsage = SettledUsage & {
  cost: PicoUsd
  /** Whether the provider counted more than the request could use. The charge is then limited to what was possible. */
  isCapped: boolean
}

/**
 * The counted usage as it is billed, and its cost, within the usage bound.
 * @param extras what the provider reported in addition to tokens. The bound has what the request allowed (`extraUsageBound`).
 */
export function computeBilledUsage(
  prices: Prices,
  tokens: TokenCounts,
  extras: Extras | undefined,
  requestBound: RequestBound,
): BilledUsage {
  const usage = computeLimitedUsage(prices, tokens, extras, requestBound)
  const cost = costOf(prices, usage.tokens, usage.extras, usage.models)
  const isLimited = usage.tokens.prompt < tokens.prompt || usage.tokens.completion < tokens.completion
  // Text within the bound does not cost more than was reserved, so only other reports need a highest cost.
  if (isStandardText(tokens, extras)) return { ...usage, cost, isCapped: isLimited }
  const maxCost = maxReportableCost(prices, usage.extras, requestBound.exactBound)
  return { ...usage, cost: minPico(cost, maxCost), isCapped: isLimited || cost > maxCost }
}

/** The counted usage as it is billed, with tokens within the usage bound. */
export function computeLimitedUsage(
  prices: Prices,
  tokens: TokenCounts,
  extras: Extras | undefined,
  requestBound: RequestBound,
): SettledUsage {
  // A report of only text within the bound needs no limit, so the exact bound, which is expensive, is not computed.
  if (isStandardText(tokens, extras) && requestBound.isWithinBound(tokens))
    return settledUsage(undefined, prices, { tokens, extras })
  const usageBound = requestBound.exactBound
  return settledUsage(usageBound.extraUsageBound, prices, { tokens: limitToBound(tokens, usageBound), extras })
}

/** Whether a report has nothing but text at standard prices. Many providers always report the standard tier. */
function isStandardText({ parts }: TokenCounts, extras: Extras | undefined): boolean {
  if (parts) return false
  if (!extras) return true
  const { pieces, serviceTier = 'default', models } = extras
  return serviceTier === 'default' && !models && (!pieces || Object.values(pieces).every((count) => count === 0))
}

/** The highest cost of a report, even if it has kinds of tokens, units or a service tier that were not requested. */
export function maxReportableCost(prices: Prices, extras: Extras | undefined, usageBound: UsageBound): PicoUsd {
  const { reportablePrompt, completion, extraUsageBound } = usageBound
  return highestCost(prices, reportablePrompt, completion, extraUsageBound, countUnlimitedUnits(extras, usageBound))
}

/**
 * The reported units whose number the request could not limit: images, which no field of a request limits, calls of requested tools
 * without `maxCalls`, and calls of other tools if the provider can run tools that the request does not name.
 */
export function countUnlimitedUnits(
  extras: Extras | undefined,
  { extraUsageBound, hasUnrequestedTools }: UsageBound,
): Record<string, number> {
  const isUnlimited = (name: string) => {
    const tools = extraUsageBound?.tools.filter(({ unit }) => unit === name) ?? []
    return (
      name === 'image' ||
      (tools.length > 0 ? tools.some(({ maxCalls }) => maxCalls === undefined) : hasUnrequestedTools)
    )
  }
  return Object.fromEntries(Object.entries(extras?.pieces ?? {}).filter(([name]) => isUnlimited(name)))
}

/** Limits reported counts to the usage bound of the request. */
export function limitToBound(
  tokens: TokenCounts,
  { reportablePrompt, completion: maxCompletion }: UsageBound,
): TokenCounts {
  if (tokens.prompt <= reportablePrompt && tokens.completion <= maxCompletion) return tokens
  const prompt = Math.min(tokens.prompt, reportablePrompt)
  const completion = Math.min(tokens.completion, maxCompletion)
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
