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

/** The counted usage as it is billed, and its cost, within the usage bound. */
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
  if (isPlain(tokens, extras)) return { ...usage, cost, isCapped: isLimited }
  const maxCost = maxReportableCost(prices, usage.extras, requestBound.exact)
  return { ...usage, cost: minPico(cost, maxCost), isCapped: isLimited || cost > maxCost }
}

/** The counted usage as it is billed, with tokens within the usage bound. */
export function computeLimitedUsage(
  prices: Prices,
  tokens: TokenCounts,
  extras: Extras | undefined,
  requestBound: RequestBound,
): SettledUsage {
  // Text within the bound is the only thing billed, so nothing else can be billed.
  if (isPlain(tokens, extras) && requestBound.isWithinBound(tokens))
    return settledUsage(undefined, prices, { tokens, extras })
  const usageBound = requestBound.exact
  return settledUsage(usageBound.extraUsage, prices, { tokens: limitToBound(tokens, usageBound), extras })
}

/** Whether a report has nothing but text at standard prices. Many providers always report the standard tier. */
function isPlain({ parts }: TokenCounts, extras: Extras | undefined): boolean {
  if (parts) return false
  if (!extras) return true
  const { pieces, serviceTier = 'default', models } = extras
  return serviceTier === 'default' && !models && (!pieces || Object.values(pieces).every((count) => count === 0))
}

/** The highest cost of a report, even if it has kinds of tokens, pieces or a service tier that were not requested. */
export function maxReportableCost(prices: Prices, extras: Extras | undefined, usageBound: UsageBound): PicoUsd {
  const { reportablePrompt, completion, extraUsage } = usageBound
  return highestCost(prices, reportablePrompt, completion, extraUsage, unlimitedPieces(extras, usageBound))
}

/** The reported pieces whose number the request could not limit. */
export function unlimitedPieces(
  extras: Extras | undefined,
  { extraUsage, hasUnrequestedTools }: UsageBound,
): Record<string, number> {
  const isUnlimited = (name: string) => {
    const tools = extraUsage?.tools.filter(({ unit }) => unit === name) ?? []
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
