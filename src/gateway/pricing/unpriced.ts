import type { Endpoint, Prices, TokenPrices } from '#catalogue/index/model.ts'
import { findSibling } from '#catalogue/index/names/sibling-endpoints.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import type { BillableOptions, ProviderTool } from './billable-options.ts'
import { priceOfPiece } from './cost.ts'
import { pricesOfTier } from './rates.ts'

/** Kinds of tokens that only some requests use. */
export type SpecialKind = 'cacheWrite1h' | 'audioPrompt' | 'audioCompletion' | 'imageCompletion'

/** A kind of token, and the part of the request that requests it. */
export type RequestedKind = { kind: SpecialKind; requestedBy: string }

/** Something without a price: the catalogue field that is missing, and the request field that requests it. */
export type Unpriced = { price: string; requestedBy: string }

/** The names of these prices in a catalogue file. */
const nameOfPrice: Record<SpecialKind, string> = {
  cacheWrite1h: 'cache_write_1h',
  audioPrompt: 'audio_prompt',
  audioCompletion: 'audio_completion',
  imageCompletion: 'image_completion',
}

/** An endpoint whose text is free charges nothing for other tokens. */
export function unpricedKinds({ prices }: Endpoint, kinds: RequestedKind[]): Unpriced[] {
  if (isFree(prices)) return []
  return kinds
    .filter(({ kind }) => prices[kind] === undefined && !(kind === 'imageCompletion' && prices.image !== undefined))
    .map(({ kind, requestedBy }) => ({ price: nameOfPrice[kind], requestedBy }))
}

export function unpricedOptions(endpoint: Endpoint, { tools, serviceTier }: BillableOptions): Unpriced[] {
  const { prices } = endpoint
  const isPriced = ({ unit, model }: ProviderTool) =>
    priceOfPiece(prices, unit) !== undefined || (model !== undefined && findSibling(endpoint, model.name) !== undefined)
  const unpriced = tools
    .filter((tool) => !isPriced(tool))
    .map(({ unit, requestedBy }) => ({ price: `tools.${unit}`, requestedBy }))
  if (!isTierPriced(prices, serviceTier))
    unpriced.push({ price: `service_tiers.${serviceTier}`, requestedBy: `service_tier (${serviceTier})` })
  return unpriced
}

export const isFree = ({ prompt, completion }: TokenPrices) => prompt === '0' && completion === '0'

/** Tiers that cost at most as much as the default tier, whose prices apply. */
const cheaperTiers: ReadonlySet<string> = new Set(['flex', 'batch'])

function isTierPriced(prices: Prices, tier: string | undefined): boolean {
  return (
    tier === undefined ||
    tier === 'default' ||
    cheaperTiers.has(tier) ||
    isFree(prices) ||
    pricesOfTier(prices, tier) !== undefined
  )
}

/** Billed units of an answer that have no price: its cost does not include them. */
export function findUnpricedUnits(prices: Prices, tokens: TokenCounts, extras: Extras | undefined): string[] {
  const { cacheWritten1h, audioPrompt, audioCompletion, imageCompletion } = tokens.parts ?? {}
  const countByKind = { cacheWrite1h: cacheWritten1h, audioPrompt, audioCompletion, imageCompletion }
  const kinds = (Object.keys(countByKind) as SpecialKind[]).filter((kind) => countByKind[kind])
  const pieces = Object.entries(extras?.pieces ?? {}).filter(
    ([unit, count]) => count > 0 && !isPricedPerPiece(prices, unit),
  )
  const unpriced: string[] = []
  if (!isFree(prices)) for (const kind of kinds) if (prices[kind] === undefined) unpriced.push(nameOfPrice[kind])
  for (const [unit] of pieces) unpriced.push(unit === 'image' ? unit : `tools.${unit}`)
  if (!isTierPriced(prices, extras?.serviceTier)) unpriced.push(`service_tiers.${extras?.serviceTier}`)
  return unpriced
}

/** Images that are counted in tokens do not need a price per image. */
function isPricedPerPiece(prices: Prices, unit: string): boolean {
  if (priceOfPiece(prices, unit) !== undefined) return true
  return unit === 'image' && (prices.imageCompletion !== undefined || isFree(prices))
}
