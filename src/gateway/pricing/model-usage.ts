import type { Prices } from '#catalogue/index/model.ts'
import { findByModelName } from '#catalogue/index/names/sibling-endpoints.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'

/** Tokens of another model, which are parts of the counts of an answer. */
export type ModelUsage = { prices: Prices; tokens: TokenCounts }

/** The runs of models that the request named. Together they have at most the tokens of the answer, which are bounded. */
export function modelUsages(
  requested: readonly { name: string; prices: Prices }[],
  extras: Extras | undefined,
  tokens: TokenCounts,
): ModelUsage[] {
  let rest = tokens
  const usages: ModelUsage[] = []
  for (const { name, tokens: reported } of extras?.models ?? []) {
    const billed = findByModelName(requested, name, (model) => model.name)
    if (!billed) continue
    const run = mergeCounts(reported, rest, Math.min)
    rest = mergeCounts(rest, run, subtract)
    usages.push({ prices: billed.prices, tokens: run })
  }
  return usages
}

/** The tokens of the answering model: those of the answer without the runs of other models. */
export function ownTokens(tokens: TokenCounts, models: readonly ModelUsage[] = []): TokenCounts {
  return models.reduce((rest, model) => mergeCounts(rest, model.tokens, subtract), tokens)
}

const subtract = (count: number, other: number) => count - other

/** Merges the counts that runs of other models have, too. Audio and images are only in the counts of the answer. */
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
