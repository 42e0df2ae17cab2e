import type { Prices } from '#catalogue/index/model.ts'
import { findByModelName } from '#catalogue/index/names/sibling-endpoints.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'

/** The tokens of another model that a tool called. The counts of the response include them. */
export type ModelUsage = { prices: Prices; tokens: TokenCounts }

/**
 * The usage of each other model that the request named. Together the usages have at most the tokens of the response, because only
 * those are bounded.
 */
export function modelUsages(
  requested: readonly { name: string; prices: Prices }[],
  extras: Extras | undefined,
  tokens: TokenCounts,
): ModelUsage[] {
  let remainingTokens = tokens
  const usages: ModelUsage[] = []
  for (const { name, tokens: reported } of extras?.models ?? []) {
    const billed = findByModelName(requested, name, (model) => model.name)
    if (!billed) continue
    const usage = mergeCounts(reported, remainingTokens, Math.min)
    remainingTokens = mergeCounts(remainingTokens, usage, subtract)
    usages.push({ prices: billed.prices, tokens: usage })
  }
  return usages
}

/** The tokens of the answering model: the tokens of the response minus those of other models. */
export function ownTokens(tokens: TokenCounts, models: readonly ModelUsage[] = []): TokenCounts {
  return models.reduce((rest, model) => mergeCounts(rest, model.tokens, subtract), tokens)
}

const subtract = (count: number, other: number) => count - other

/** Merges two counts field by field. Audio and image tokens stay, because only the counts of the response have them. */
function mergeCounts(
  { parts, ...tokens }: TokenCounts,
  other: TokenCounts,
  merge: (count: number, other: number) => number,
): TokenCounts {
  const { cacheWritten1h = 0, ...media } = parts ?? {}
  return {
    prompt: merge(tokens.prompt, other.prompt),
    completion: merge(tokens.completion, other.completion),
    cached: merge(tokens.cached, other.cached),
    cacheWritten: merge(tokens.cacheWritten, other.cacheWritten),
    reasoning: merge(tokens.reasoning, other.reasoning),
    ...(parts && { parts: { ...media, cacheWritten1h: merge(cacheWritten1h, other.parts?.cacheWritten1h ?? 0) } }),
  }
}
