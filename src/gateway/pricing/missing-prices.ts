import type { Endpoint, Prices, TokenPrices } from '#catalogue/index/model.ts'
import { findSibling } from '#catalogue/index/names/sibling-endpoints.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import type { BillableOptions, ProviderTool } from './billable-options.ts'
import { priceOfUnit } from './cost.ts'
import { pricesOfTier } from './rates.ts'

/** Token types with separate prices that only some requests use. */
export type ExtraTokenType = 'cacheWrite1h' | 'audioPrompt' | 'audioCompletion' | 'imageCompletion'

/** A token type, and the field of the request that requests it or, for error messages, its description. */
export type RequestedTokenType = { type: ExtraTokenType; requestedBy: string }

/** A price that the catalogue lacks: the path of its field in the catalogue, and what requests the unit. */
export type MissingPrice = { price: string; requestedBy: string }

/** The names of the prices in a catalogue file. */
const priceNames: Record<ExtraTokenType, string> = {
  cacheWrite1h: 'cache_write_1h',
  audioPrompt: 'audio_prompt',
  audioCompletion: 'audio_completion',
  imageCompletion: 'image_completion',
}

/** The requested token types without a price. None if text is free at the endpoint: then all tokens are free. */
export function findUnpricedTokenTypes({ prices }: Endpoint, requestedTypes: RequestedTokenType[]): MissingPrice[] {
  if (isFree(prices)) return []
  return requestedTypes
    .filter(({ type }) => prices[type] === undefined && !(type === 'imageCompletion' && prices.image !== undefined))
    .map(({ type, requestedBy }) => ({ price: priceNames[type], requestedBy }))
}

export function findUnpricedOptions(endpoint: Endpoint, { tools, serviceTier }: BillableOptions): MissingPrice[] {
  const { prices } = endpoint
  const isPriced = ({ unit, model }: ProviderTool) =>
    priceOfUnit(prices, unit) !== undefined || (model !== undefined && findSibling(endpoint, model.name) !== undefined)
  const unpriced = tools
    .filter((tool) => !isPriced(tool))
    .map(({ unit, requestedBy }) => ({ price: `tools.${unit}`, requestedBy }))
  if (!isTierPriced(prices, serviceTier))
    unpriced.push({ price: `service_tiers.${serviceTier}`, requestedBy: `service_tier (${serviceTier})` })
  return unpriced
}

export const isFree = ({ prompt, completion }: TokenPrices) => prompt === '0' && completion === '0'

/** Tiers that cost at most as much as the default tier. Its prices apply to them. */
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

/** The billed units of a response without a price, which its cost does not include. */
export function findUnpricedUnits(prices: Prices, tokens: TokenCounts, extras: Extras | undefined): string[] {
  const { cacheWritten1h, audioPrompt, audioCompletion, imageCompletion } = tokens.parts ?? {}
  const countByType = { cacheWrite1h: cacheWritten1h, audioPrompt, audioCompletion, imageCompletion }
  const types = (Object.keys(countByType) as ExtraTokenType[]).filter((type) => countByType[type])
  const unpricedUnits = Object.entries(extras?.pieces ?? {}).filter(
    ([unit, count]) => count > 0 && !isUnitPriced(prices, unit),
  )
  const unpriced: string[] = []
  if (!isFree(prices)) for (const type of types) if (prices[type] === undefined) unpriced.push(priceNames[type])
  for (const [unit] of unpricedUnits) unpriced.push(unit === 'image' ? unit : `tools.${unit}`)
  if (!isTierPriced(prices, extras?.serviceTier)) unpriced.push(`service_tiers.${extras?.serviceTier}`)
  return unpriced
}

/** Whether a unit has a price. Images that are counted in tokens need no price per image. */
function isUnitPriced(prices: Prices, unit: string): boolean {
  if (priceOfUnit(prices, unit) !== undefined) return true
  return unit === 'image' && (prices.imageCompletion !== undefined || isFree(prices))
}
