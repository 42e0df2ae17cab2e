import type { Prices } from '#catalogue/index/model.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import { ownValue } from '#platform/core/own-value.ts'
import type { Bill } from './bill.ts'
import { type ModelUsage, modelUsages } from './model-usage.ts'

export type SettledUsage = { tokens: TokenCounts; extras: Extras | undefined; models?: readonly ModelUsage[] }

/**
 * The usage as it is billed: the provider's report. What the report leaves open is billed as the most expensive kind
 * that the request asked for.
 */
export function settledUsage(bill: Bill | undefined, prices: Prices, { tokens, extras }: SettledUsage): SettledUsage {
  if (!bill && !extras) return { tokens, extras }
  const pieceCounts = extras?.pieces
  const pieces = countBilledPieces(bill, pieceCounts)
  const tier = extras?.serviceTier ?? bill?.serviceTier
  const serviceTier = tier === 'default' ? undefined : tier
  const models = modelUsages(bill?.models ?? [], extras, tokens)
  return {
    ...(models.length > 0 && { models }),
    tokens: withAssumedParts(bill, prices, tokens, pieceCounts),
    extras: pieces || serviceTier ? { ...(pieces && { pieces }), ...(serviceTier && { serviceTier }) } : undefined,
  }
}

/** The billed pieces by unit. Audio is billed by token instead. */
function countBilledPieces(
  bill: Bill | undefined,
  pieceCounts: Record<string, number> = {},
): Record<string, number> | undefined {
  const pieces: Record<string, number> = {}
  for (const name in pieceCounts) {
    const unit = bill?.tools.find(({ reported }) => reported === name)?.unit ?? name
    if (name !== 'audio' && pieceCounts[name]! > 0) pieces[unit] = (ownValue(pieces, unit) ?? 0) + pieceCounts[name]!
  }
  if (bill && bill.promptImages > 0) pieces.image = (pieces.image ?? 0) + bill.promptImages
  return Object.keys(pieces).length > 0 ? pieces : undefined
}

/** Without a report, all tokens count as the most expensive kind that the request contains. */
function withAssumedParts(
  bill: Bill | undefined,
  prices: Prices,
  tokens: TokenCounts,
  pieceCounts: Record<string, number> = {},
): TokenCounts {
  const { cacheWritten, prompt, completion, parts } = tokens
  const assumedParts: TokenCounts['parts'] = {}
  if (bill?.kinds.includes('cacheWrite1h') && cacheWritten > 0) assumedParts.cacheWritten1h = cacheWritten
  if (bill?.hasAudio) assumedParts.audioPrompt = prompt
  if (pieceCounts.audio) assumedParts.audioCompletion = completion
  if (pieceCounts.image && prices.imageCompletion !== undefined) assumedParts.imageCompletion = completion
  if (Object.keys(assumedParts).length === 0) return tokens
  // Tokens reported as one kind are not of another kind.
  if (parts?.audioCompletion !== undefined) delete assumedParts.imageCompletion
  if (parts?.imageCompletion !== undefined) delete assumedParts.audioCompletion
  return { ...tokens, parts: { ...assumedParts, ...parts } }
}
