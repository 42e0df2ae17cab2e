import { perMillion, toDecimal } from '#platform/core/money.ts'
import type { Prices, TokenPrices } from '../../index/model.ts'
import { type MoreCosts, rulesOf } from './price-rules.ts'
import type { SourceCost, SourceModel } from './source.ts'

/**
 * Converts USD per million tokens to USD per token; undefined without a price.
 * @param provider the provider whose price rules apply.
 */
export function pricesOf(model: SourceModel, provider = ''): Prices | undefined {
  const { cost } = model
  if (!cost) return undefined
  const rules = rulesOf(provider)
  const pricesIn = (some: Partial<SourceCost>) => tokenPrices(some, { ...cost, ...some }, rules(model, some))
  const prices: Prices = { prompt: perToken(cost.input), completion: perToken(cost.output), ...pricesIn(cost) }
  const tiers = (cost.tiers ?? [])
    .filter(({ tier }) => tier.type === undefined || tier.type === 'context')
    .map(({ tier, ...some }) => ({ fromPromptTokens: tier.size, ...pricesIn(some) }))
    .sort((a, b) => a.fromPromptTokens - b.fromPromptTokens)
  if (tiers.length > 0) prices.tiers = tiers
  const serviceTiers = Object.fromEntries(
    servicesOf(model).map(([name, some]) => [name, tokenPrices(some, { ...cost, ...some }, {})]),
  )
  if (Object.keys(serviceTiers).length > 0) prices.serviceTiers = serviceTiers
  return prices
}

/** The modes that a request selects by service tier. */
function servicesOf({ experimental }: SourceModel): [name: string, cost: Partial<SourceCost>][] {
  if (typeof experimental !== 'object' || experimental === null) return []
  return Object.values(experimental.modes ?? {}).flatMap(({ cost, provider }) => {
    const name = provider?.body?.service_tier
    return name && cost ? [[name, cost] as [string, Partial<SourceCost>]] : []
  })
}

/** @param whole all prices of the row: a cache price of 0 is valid only if everything is free. */
function tokenPrices(cost: Partial<SourceCost>, whole: SourceCost, more: MoreCosts): Partial<TokenPrices> {
  const read = cost.cache_read ?? cost.cached_input ?? cost.cache_input
  const write = cost.cache_write ?? cost.cached_write
  return {
    ...priced('prompt', cost.input),
    ...priced('completion', cost.output),
    ...stated('cacheRead', read, whole.input),
    ...stated('cacheWrite', write, whole.input),
    ...stated('cacheWrite1h', more.cacheWrite1h, whole.input),
    ...(cost.reasoning && priced('reasoning', cost.reasoning)),
    ...stated('audioPrompt', cost.input_audio, whole.input),
    ...stated('audioCompletion', cost.output_audio, whole.output),
    ...stated('imageCompletion', cost.image ?? more.imageCompletion, whole.output),
  }
}

/** Zero means "unknown" if other tokens have a price. */
function stated(name: keyof TokenPrices, price: number | undefined, other: number): Partial<TokenPrices> {
  return price === undefined || (price === 0 && other > 0) ? {} : priced(name, price)
}

function priced(name: keyof TokenPrices, usdPerMillion: number | undefined): Partial<TokenPrices> {
  return usdPerMillion === undefined ? {} : { [name]: perToken(usdPerMillion) }
}

/** Thousands of entries share a few hundred prices. */
const priceCache = new Map<number, string>()

function perToken(usdPerMillion: number): string {
  const price = priceCache.get(usdPerMillion) ?? perMillion(toDecimal(usdPerMillion)!)
  priceCache.set(usdPerMillion, price)
  return price
}
