import type { Prices, TokenPrices } from '#catalogue/index/model.ts'
import { type PicoUsd, parsePicoUsd } from '#platform/core/pico-usd.ts'

/** The price of one token by token type. Missing prices have their default. */
export type Rates = Record<keyof TokenPrices, PicoUsd>

/** Caches parsed prices by service tier. Prices belong to an immutable snapshot. */
const stepsByTier = new WeakMap<Prices, Map<string | undefined, RateStep[]>>()

/** The rates of prompts with at least `minPromptTokens`. */
type RateStep = { minPromptTokens: number; rates: Rates }

/** The rates for a prompt. A service tier without prices in the catalogue has the default prices. */
export function ratesFor(prices: Prices, promptTokens: number, serviceTier: string | undefined): Rates {
  const steps = cachedSteps(prices, serviceTier)
  return (steps.findLast(({ minPromptTokens }) => promptTokens >= minPromptTokens) ?? steps[0]!).rates
}

/** All rates that can apply to a prompt of at most this size. A provider can serve a request in the default tier instead. */
export function ratesUpTo(prices: Prices, promptTokens: number, serviceTier: string | undefined): Rates[] {
  const steps = cachedSteps(prices, undefined)
  const possibleSteps = pricesOfTier(prices, serviceTier) ? [...steps, ...cachedSteps(prices, serviceTier)] : steps
  return possibleSteps.filter(({ minPromptTokens }) => minPromptTokens <= promptTokens).map(({ rates }) => rates)
}

function cachedSteps(prices: Prices, serviceTier: string | undefined): RateStep[] {
  const tier = pricesOfTier(prices, serviceTier) ? serviceTier : undefined
  return stepsByTier
    .getOrInsertComputed(prices, () => new Map())
    .getOrInsertComputed(tier, () => parseSteps(prices, tier))
}

/** The prices of a service tier, if the catalogue has any. `name` can be any text, because clients send it. */
export function pricesOfTier({ serviceTiers }: Prices, name: string | undefined): Partial<TokenPrices> | undefined {
  return name !== undefined && serviceTiers && Object.hasOwn(serviceTiers, name) ? serviceTiers[name] : undefined
}

function parseSteps(prices: Prices, tier: string | undefined): RateStep[] {
  const tierPrices = pricesOfTier(prices, tier)
  const baseRates = tierPrices ? ratesOfTier(prices, tierPrices) : toRates(prices)
  const steps: RateStep[] = [{ minPromptTokens: 0, rates: baseRates }]
  for (const { fromPromptTokens, ...longPromptPrices } of prices.tiers ?? []) {
    const rates = toRates({ ...prices, ...longPromptPrices })
    // No catalogue has the price of a long prompt in a service tier. The higher one of the tier's price and the price of a long prompt is assumed.
    steps.push({ minPromptTokens: fromPromptTokens, rates: tierPrices ? higherRates(rates, baseRates) : rates })
  }
  return steps
}

/** Fills in missing prices. Each price defaults to the price of the more general token type. */
function toRates(prices: TokenPrices): Rates {
  const prompt = parsePicoUsd(prices.prompt)
  const completion = parsePicoUsd(prices.completion)
  const parseOr = (price: string | undefined, fallback: PicoUsd) =>
    price === undefined ? fallback : parsePicoUsd(price)
  const cacheWrite = parseOr(prices.cacheWrite, prompt)
  return {
    prompt,
    completion,
    cacheRead: parseOr(prices.cacheRead, prompt),
    cacheWrite,
    cacheWrite1h: parseOr(prices.cacheWrite1h, cacheWrite),
    reasoning: parseOr(prices.reasoning, completion),
    audioPrompt: parseOr(prices.audioPrompt, prompt),
    audioCompletion: parseOr(prices.audioCompletion, completion),
    imageCompletion: parseOr(prices.imageCompletion, completion),
  }
}

/**
 * The rates of a service tier. A price that the tier lacks is the higher of two prices: that of the more general token type
 * in the tier, and that of the same token type in the default tier.
 */
function ratesOfTier({ prompt, completion, ...defaultPrices }: TokenPrices, tier: Partial<TokenPrices>): Rates {
  // The price of cached tokens is not compared, because the discount of the default tier may not apply to this tier.
  const { cacheRead: _cacheRead, ...comparedPrices } = defaultPrices
  const tierRates = toRates({ prompt, completion, ...tier })
  // The prices of prompt and completion are zero, so that prices which default to them are not the higher ones.
  const rates = higherRates(tierRates, toRates({ prompt: '0', completion: '0', ...comparedPrices }))
  for (const name of Object.keys(tier) as (keyof TokenPrices)[]) rates[name] = tierRates[name]
  return rates
}

function higherRates(first: Rates, second: Rates): Rates {
  const rates = { ...first }
  for (const name of Object.keys(first) as (keyof Rates)[]) if (second[name] > first[name]) rates[name] = second[name]
  return rates
}
