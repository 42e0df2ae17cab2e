import type { Prices, TokenPrices } from '#catalogue/index/model.ts'
import { type PicoUsd, parsePicoUsd } from '#platform/core/pico-usd.ts'

/** The price of a token of each kind, with every default filled in. */
export type Rates = Record<keyof TokenPrices, PicoUsd>

/** Caches parsed prices by service tier. Prices belong to an immutable snapshot. */
const stepsByTier = new WeakMap<Prices, Map<string | undefined, Step[]>>()

/** The rates of prompts from this number of tokens on. */
type Step = { from: number; rates: Rates }

/** The rates for a prompt. @param serviceTier a tier without its own prices has the default ones. */
export function ratesFor(prices: Prices, promptTokens: number, serviceTier: string | undefined): Rates {
  const steps = cachedSteps(prices, serviceTier)
  return (steps.findLast(({ from }) => promptTokens >= from) ?? steps[0]!).rates
}

/** All rates that can apply to a prompt of at most this size. A request for a tier can be served in the default one. */
export function ratesUpTo(prices: Prices, promptTokens: number, serviceTier: string | undefined): Rates[] {
  const steps = cachedSteps(prices, undefined)
  const possibleSteps = pricesOfTier(prices, serviceTier) ? [...steps, ...cachedSteps(prices, serviceTier)] : steps
  return possibleSteps.filter(({ from }) => from <= promptTokens).map(({ rates }) => rates)
}

function cachedSteps(prices: Prices, serviceTier: string | undefined): Step[] {
  const tier = pricesOfTier(prices, serviceTier) ? serviceTier : undefined
  return stepsByTier
    .getOrInsertComputed(prices, () => new Map())
    .getOrInsertComputed(tier, () => parseSteps(prices, tier))
}

/** The prices of a service tier, if the catalogue has some. The name can come from a client. */
export function pricesOfTier({ serviceTiers }: Prices, name: string | undefined): Partial<TokenPrices> | undefined {
  return name !== undefined && serviceTiers && Object.hasOwn(serviceTiers, name) ? serviceTiers[name] : undefined
}

function parseSteps(prices: Prices, tier: string | undefined): Step[] {
  const tierPrices = pricesOfTier(prices, tier)
  const baseRates = tierPrices ? ratesOfTier(prices, tierPrices) : toRates(prices)
  const steps = [{ from: 0, rates: baseRates }]
  for (const { fromPromptTokens, ...changed } of prices.tiers ?? []) {
    const rates = toRates({ ...prices, ...changed })
    // The price of a long prompt in a service tier is unknown. It is taken to be no less than either price.
    steps.push({ from: fromPromptTokens, rates: tierPrices ? higherRates(rates, baseRates) : rates })
  }
  return steps
}

/** Fills in missing prices: each defaults to the more general one. */
function toRates(prices: TokenPrices): Rates {
  const prompt = parsePicoUsd(prices.prompt)
  const completion = parsePicoUsd(prices.completion)
  const orDefault = (price: string | undefined, otherwise: PicoUsd) =>
    price === undefined ? otherwise : parsePicoUsd(price)
  const cacheWrite = orDefault(prices.cacheWrite, prompt)
  return {
    prompt,
    completion,
    cacheRead: orDefault(prices.cacheRead, prompt),
    cacheWrite,
    cacheWrite1h: orDefault(prices.cacheWrite1h, cacheWrite),
    reasoning: orDefault(prices.reasoning, completion),
    audioPrompt: orDefault(prices.audioPrompt, prompt),
    audioCompletion: orDefault(prices.audioCompletion, completion),
    imageCompletion: orDefault(prices.imageCompletion, completion),
  }
}

/**
 * The rates of a service tier. A price that the tier does not name is the higher of two: the tier's more general price,
 * and the price outside the tier.
 */
function ratesOfTier({ prompt, completion, ...ordinary }: TokenPrices, tier: Partial<TokenPrices>): Rates {
  // Without the price of cached tokens: a discount of the default tier may not hold in this one.
  const { cacheRead: _cacheRead, ...comparable } = ordinary
  const tierRates = toRates({ prompt, completion, ...tier })
  // The general prices are zero, so that a missing price, which defaults to one of them, is not the higher one.
  const rates = higherRates(tierRates, toRates({ prompt: '0', completion: '0', ...comparable }))
  for (const name of Object.keys(tier) as (keyof TokenPrices)[]) rates[name] = tierRates[name]
  return rates
}

function higherRates(first: Rates, second: Rates): Rates {
  const rates = { ...first }
  for (const name of Object.keys(first) as (keyof Rates)[]) if (second[name] > first[name]) rates[name] = second[name]
  return rates
}
