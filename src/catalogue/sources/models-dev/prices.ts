import { toDecimal, unitPrice } from '#platform/core/money.ts'
import type { Prices, TokenPrices } from '../../index/model.ts'
import { type AdditionalCosts, priceRuleOf } from './price-rules.ts'
import type { SourceCost, SourceModel } from './source.ts'

/**
 * Converts USD per million tokens to USD per token; undefined without a price.
 * @param provider the provider whose price rules apply.
 */
export function pricesOf(model: SourceModel, provider = ''): Prices | undefined {
  const { cost } = model
  if (!cost) return undefined
  const rules = priceRuleOf(provider)
  const pricesIn = (costs: Partial<SourceCost>) => tokenPrices(costs, { ...cost, ...costs }, rules(model, costs))
  const prices: Prices = { prompt: perToken(cost.input), completion: perToken(cost.output), ...pricesIn(cost) }
  const tiers = (cost.tiers ?? [])
    .filter(({ tier }) => tier.type === undefined || tier.type === 'context')
    .map(({ tier, ...costs }) => ({ fromPromptTokens: tier.size, ...pricesIn(costs) }))
    .sort((a, b) => a.fromPromptTokens - b.fromPromptTokens)
  if (tiers.length > 0) prices.tiers = tiers
  const serviceTiers = Object.fromEntries(
    serviceTierCosts(model).map(([name, costs]) => [name, tokenPrices(costs, { ...cost, ...costs }, {})]),
  )
  if (Object.keys(serviceTiers).length > 0) prices.serviceTiers = serviceTiers
  return prices
}

/** Returns the costs of the modes that a request selects by service tier. */
function serviceTierCosts({ experimental }: SourceModel): [name: string, cost: Partial<SourceCost>][] {
  if (typeof experimental !== 'object' || experimental === null) return []
  return Object.values(experimental.modes ?? {}).flatMap(({ cost, provider }) => {
    const name = provider?.body?.service_tier
    return name && cost ? [[name, cost] as [string, Partial<SourceCost>]] : []
  })
}

/** @param allCosts all prices of the row: a cache price of 0 is valid only if everything is free. */
function tokenPrices(
  cost: Partial<SourceCost>,
  allCosts: SourceCost,
  additional: AdditionalCosts,
): Partial<TokenPrices> {
  const read = cost.cache_read ?? cost.cached_input ?? cost.cache_input
  const write = cost.cache_write ?? cost.cached_write
  return {
    ...priceEntry('prompt', cost.input),
    ...priceEntry('completion', cost.output),
    ...knownPrice('cacheRead', read, allCosts.input),
    ...knownPrice('cacheWrite', write, allCosts.input),
    ...knownPrice('cacheWrite1h', additional.cacheWrite1h, allCosts.input),
    ...(cost.reasoning && priceEntry('reasoning', cost.reasoning)),
    ...knownPrice('audioPrompt', cost.input_audio, allCosts.input),
    ...knownPrice('audioCompletion', cost.output_audio, allCosts.output),
    ...knownPrice('imageCompletion', cost.image ?? additional.imageCompletion, allCosts.output),
  }
}

/** Zero means "unknown" if other tokens have a price. */
function knownPrice(name: keyof TokenPrices, price: number | undefined, other: number): Partial<TokenPrices> {
  return price === undefined || (price === 0 && other > 0) ? {} : priceEntry(name, price)
}

function priceEntry(name: keyof TokenPrices, usdPerMillion: number | undefined): Partial<TokenPrices> {
  return usdPerMillion === undefined ? {} : { [name]: perToken(usdPerMillion) }
}

/** Caches prices, because thousands of entries have only a few hundred different ones. */
const priceCache = new Map<number, string>()

function perToken(usdPerMillion: number): string {
  const price = priceCache.get(usdPerMillion) ?? unitPrice(toDecimal(usdPerMillion)!)
  priceCache.set(usdPerMillion, price)
  return price
}
