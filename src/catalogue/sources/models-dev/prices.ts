import { toDecimal, unitPrice } from '#platform/core/money.ts'
import type { Prices, TokenPrices } from '../../index/model.ts'
import { type AdditionalCosts, findPriceRule } from './price-rules.ts'
import type { SourceCost, SourceModel } from './source.ts'

/**
 * Converts USD per million tokens to USD per token; undefined without a price.
 * @param provider the provider whose price rules apply.
 */
export function toPrices(model: SourceModel, provider = ''): Prices | undefined {
  const { cost } = model
  if (!cost) return undefined
  const rules = findPriceRule(provider)
  const convertCosts = (costs: Partial<SourceCost>) => toTokenPrices(costs, { ...cost, ...costs }, rules(model, costs))
  const prices: Prices = { prompt: perToken(cost.input), completion: perToken(cost.output), ...convertCosts(cost) }
  const tiers = (cost.tiers ?? [])
    .filter(({ tier }) => tier.type === undefined || tier.type === 'context')
    .map(({ tier, ...costs }) => ({ fromPromptTokens: tier.size, ...convertCosts(costs) }))
    .sort((a, b) => a.fromPromptTokens - b.fromPromptTokens)
  if (tiers.length > 0) prices.tiers = tiers
  const serviceTiers = Object.fromEntries(
    findServiceTierCosts(model).map(([name, costs]) => [name, toTokenPrices(costs, { ...cost, ...costs }, {})]),
  )
  if (Object.keys(serviceTiers).length > 0) prices.serviceTiers = serviceTiers
  return prices
}

/** Returns the costs of the modes that a request selects by service tier. */
function findServiceTierCosts({ experimental }: SourceModel): [name: string, cost: Partial<SourceCost>][] {
  if (typeof experimental !== 'object' || experimental === null) return []
  return Object.values(experimental.modes ?? {}).flatMap(({ cost, provider }) => {
    const name = provider?.body?.service_tier
    return name && cost ? [[name, cost] as [string, Partial<SourceCost>]] : []
  })
}

/** @param allCosts all prices of the row: a cache price of 0 is valid only if everything is free. */
function toTokenPrices(
  cost: Partial<SourceCost>,
  allCosts: SourceCost,
  additional: AdditionalCosts,
): Partial<TokenPrices> {
  const read = cost.cache_read ?? cost.cached_input ?? cost.cache_input
  const write = cost.cache_write ?? cost.cached_write
  const prices: Partial<TokenPrices> = {}
  /** Adds a price, unless it is unknown. Zero means "unknown" if text tokens have a price. */
  const addKnown = (name: keyof TokenPrices, usdPerMillion: number | undefined, textPrice: number) => {
    if (usdPerMillion === undefined || (usdPerMillion === 0 && textPrice > 0)) return
    prices[name] = perToken(usdPerMillion)
  }
  if (cost.input !== undefined) prices.prompt = perToken(cost.input)
  if (cost.output !== undefined) prices.completion = perToken(cost.output)
  addKnown('cacheRead', read, allCosts.input)
  addKnown('cacheWrite', write, allCosts.input)
  addKnown('cacheWrite1h', additional.cacheWrite1h, allCosts.input)
  if (cost.reasoning) prices.reasoning = perToken(cost.reasoning)
  addKnown('audioPrompt', cost.input_audio, allCosts.input)
  addKnown('audioCompletion', cost.output_audio, allCosts.output)
  addKnown('imageCompletion', cost.image ?? additional.imageCompletion, allCosts.output)
  return prices
}

/** Caches prices, because thousands of entries have only a few hundred different ones. */
const priceCache = new Map<number, string>()

function perToken(usdPerMillion: number): string {
  const price = priceCache.get(usdPerMillion) ?? unitPrice(toDecimal(usdPerMillion)!)
  priceCache.set(usdPerMillion, price)
  return price
}
