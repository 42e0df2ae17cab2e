import type { Prices } from '#catalogue/index/model.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import { ownValue } from '#platform/core/own-value.ts'
import type { ExtraUsageBound } from './extra-usage-bound.ts'
import { type ModelUsage, modelUsages } from './model-usage.ts'

export type SettledUsage = { tokens: TokenCounts; extras: Extras | undefined; models?: readonly ModelUsage[] }

/**
 * The usage as the provider reported it. Tokens of an unreported type count as the most expensive type that the request
 * can use.
 */
export function settledUsage(
  bound: ExtraUsageBound | undefined,
  prices: Prices,
  { tokens, extras }: SettledUsage,
): SettledUsage {
  if (!bound && !extras) return { tokens, extras }
  const pieceCounts = extras?.pieces
  const pieces = countBilledUnits(bound, pieceCounts)
  const tier = extras?.serviceTier ?? bound?.serviceTier
  const serviceTier = tier === 'default' ? undefined : tier
  const models = modelUsages(bound?.toolModels ?? [], extras, tokens)
  return {
    ...(models.length > 0 && { models }),
    tokens: withAssumedTokenTypes(bound, prices, tokens, pieceCounts),
    extras: pieces || serviceTier ? { ...(pieces && { pieces }), ...(serviceTier && { serviceTier }) } : undefined,
  }
}

/** The billed units other than tokens. Audio is billed by token instead. */
function countBilledUnits(
  bound: ExtraUsageBound | undefined,
  pieceCounts: Record<string, number> = {},
): Record<string, number> | undefined {
  const pieces: Record<string, number> = {}
  for (const name in pieceCounts) {
    const unit = bound?.tools.find(({ reportedUnit }) => reportedUnit === name)?.unit ?? name
    if (name !== 'audio' && pieceCounts[name]! > 0) pieces[unit] = (ownValue(pieces, unit) ?? 0) + pieceCounts[name]!
  }
  for (const { unit, unreportedCalls = 0 } of bound?.tools ?? [])
    if (unreportedCalls > 0 && !Object.hasOwn(pieceCounts, unit)) pieces[unit] = unreportedCalls
  if (bound && bound.promptImages > 0) pieces.image = (pieces.image ?? 0) + bound.promptImages
  return Object.keys(pieces).length > 0 ? pieces : undefined
}

/** The tokens. Where the provider reports no token type, all tokens count as the most expensive type of the request. */
function withAssumedTokenTypes(
  bound: ExtraUsageBound | undefined,
  prices: Prices,
  tokens: TokenCounts,
  pieceCounts: Record<string, number> = {},
): TokenCounts {
  const { cacheWritten, prompt, completion, parts } = tokens
  const assumedParts: TokenCounts['parts'] = {}
  if (bound?.tokenTypes.includes('cacheWrite1h') && cacheWritten > 0) assumedParts.cacheWritten1h = cacheWritten
  if (bound?.hasAudio) assumedParts.audioPrompt = prompt
  if (pieceCounts.audio) assumedParts.audioCompletion = completion
  if (pieceCounts.image && prices.imageCompletion !== undefined) assumedParts.imageCompletion = completion
  if (Object.keys(assumedParts).length === 0) return tokens
  // Tokens that are reported as audio are not images, and the reverse.
  if (parts?.audioCompletion !== undefined) delete assumedParts.imageCompletion
  if (parts?.imageCompletion !== undefined) delete assumedParts.audioCompletion
  return { ...tokens, parts: { ...assumedParts, ...parts } }
}
