import type { Prices } from '#catalogue/index/model.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import { ownValue } from '#platform/core/own-value.ts'
import type { Bill } from '../pricing/bill.ts'

export type SettledUsage = { tokens: TokenCounts; extras: Extras | undefined }

/**
 * The usage as it is billed: the provider's report. What the report leaves open is billed as the most expensive kind
 * that the request asked for.
 */
export function settledUsage(bill: Bill | undefined, prices: Prices, { tokens, extras }: SettledUsage): SettledUsage {
  if (!bill && !extras) return { tokens, extras }
  const pieceCounts = extras?.pieces
  const pieces = piecesOf(bill, pieceCounts)
  const tier = extras?.serviceTier ?? bill?.serviceTier
  const serviceTier = tier === 'default' ? undefined : tier
  return {
    tokens: withParts(bill, prices, tokens, pieceCounts),
    extras: pieces || serviceTier ? { ...(pieces && { pieces }), ...(serviceTier && { serviceTier }) } : undefined,
  }
}

/** The billed pieces by unit. Audio is billed by token instead. */
function piecesOf(
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
function withParts(
  bill: Bill | undefined,
  prices: Prices,
  tokens: TokenCounts,
  pieceCounts: Record<string, number> = {},
): TokenCounts {
  const { cacheWritten, prompt, completion, parts } = tokens
  const all: TokenCounts['parts'] = {}
  if (bill?.kinds.includes('cacheWrite1h') && cacheWritten > 0) all.cacheWritten1h = cacheWritten
  if (bill?.hasAudio) all.audioPrompt = prompt
  if (pieceCounts.audio) all.audioCompletion = completion
  if (pieceCounts.image && prices.imageCompletion !== undefined) all.imageCompletion = completion
  if (Object.keys(all).length === 0) return tokens
  // Tokens reported as one kind are not of another kind.
  if (parts?.audioCompletion !== undefined) delete all.imageCompletion
  if (parts?.imageCompletion !== undefined) delete all.audioCompletion
  return { ...tokens, parts: { ...all, ...parts } }
}
