import type { Prices, TokenPrices } from '#catalogue/index/model.ts'
import { type PicoUsd, picoUsd } from '#platform/core/pico-usd.ts'

/** The price of a token of each kind, with every default filled in. */
export type Rates = Record<keyof TokenPrices, PicoUsd>

/** Prices belong to an immutable snapshot, so what was once parsed stays right. By the tier of service. */
const parsed = new WeakMap<Prices, Map<string | undefined, Step[]>>()

type Step = { from: number; rates: Rates }

/** @param serviceTier where the ordinary one did not serve: without a price of its own it costs as much as that. */
export function ratesFor(prices: Prices, promptTokens: number, serviceTier: string | undefined): Rates {
  const steps = parsedSteps(prices, serviceTier)
  return (steps.findLast(({ from }) => promptTokens >= from) ?? steps[0]!).rates
}

/** All that may apply to a prompt of at most this size, in a tier that may serve it in the ordinary one instead. */
export function ratesUpTo(prices: Prices, promptTokens: number, serviceTier: string | undefined): Rates[] {
  const steps = parsedSteps(prices, undefined)
  const all = pricesOfTier(prices, serviceTier) ? [...steps, ...parsedSteps(prices, serviceTier)] : steps
  return all.filter(({ from }) => from <= promptTokens).map(({ rates }) => rates)
}

function parsedSteps(prices: Prices, serviceTier: string | undefined): Step[] {
  const tier = pricesOfTier(prices, serviceTier) ? serviceTier : undefined
  return parsed.getOrInsertComputed(prices, () => new Map()).getOrInsertComputed(tier, () => stepsOf(prices, tier))
}

/** The prices of a tier of service, as far as the catalogue has some. The name may come from anybody. */
export function pricesOfTier({ serviceTiers }: Prices, name: string | undefined): Partial<TokenPrices> | undefined {
  return name !== undefined && serviceTiers && Object.hasOwn(serviceTiers, name) ? serviceTiers[name] : undefined
}

function stepsOf(prices: Prices, tier: string | undefined): Step[] {
  const own = pricesOfTier(prices, tier)
  const first = own ? ratesOfTier(prices, own) : toRates(prices)
  const steps = [{ from: 0, rates: first }]
  for (const { fromPromptTokens, ...changed } of prices.tiers ?? []) {
    const rates = toRates({ ...prices, ...changed })
    // The price of a long prompt in a service tier is unknown. It is taken to be no less than either price.
    steps.push({ from: fromPromptTokens, rates: own ? higherRates(rates, first) : rates })
  }
  return steps
}

/** A price that is not told is the one it is a special case of. */
function toRates(prices: TokenPrices): Rates {
  const prompt = picoUsd(prices.prompt)
  const completion = picoUsd(prices.completion)
  const or = (price: string | undefined, otherwise: PicoUsd) => (price === undefined ? otherwise : picoUsd(price))
  const cacheWrite = or(prices.cacheWrite, prompt)
  return {
    prompt,
    completion,
    cacheRead: or(prices.cacheRead, prompt),
    cacheWrite,
    cacheWrite1h: or(prices.cacheWrite1h, cacheWrite),
    reasoning: or(prices.reasoning, completion),
    audioPrompt: or(prices.audioPrompt, prompt),
    audioCompletion: or(prices.audioCompletion, completion),
    imageCompletion: or(prices.imageCompletion, completion),
  }
}

/**
 * The rates of a service tier. A price that the tier does not name is the higher of two: the tier's more general price,
 * and the price outside the tier.
 */
function ratesOfTier({ prompt, completion, ...ordinary }: TokenPrices, tier: Partial<TokenPrices>): Rates {
  const { cacheRead: _discount, ...special } = ordinary
  const own = toRates({ prompt, completion, ...tier })
  const rates = higherRates(own, toRates({ prompt: '0', completion: '0', ...special }))
  for (const name of Object.keys(tier) as (keyof TokenPrices)[]) rates[name] = own[name]
  return rates
}

function higherRates(one: Rates, other: Rates): Rates {
  const rates = { ...one }
  for (const name of Object.keys(one) as (keyof Rates)[]) if (other[name] > one[name]) rates[name] = other[name]
  return rates
}
