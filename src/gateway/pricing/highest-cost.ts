import type { Prices } from '#catalogue/index/model.ts'
import { ownValue } from '#platform/core/own-value.ts'
import { type PicoUsd, parsePicoUsd } from '#platform/core/pico-usd.ts'
import { priceOfUnit } from './cost.ts'
import type { ExtraUsageBound } from './extra-usage-bound.ts'
import { type Rates, ratesUpTo } from './rates.ts'

/**
 * The highest possible cost of a number of tokens, whatever types they have.
 * @param relayedUnits the units that were already relayed, which can be more than the bound.
 */
export function highestCost(
  prices: Prices,
  promptTokens: number,
  completionTokens: number,
  bound?: ExtraUsageBound,
  relayedUnits: Record<string, number> = {},
): PicoUsd {
  let promptRate = 0n
  let completionRate = 0n
  for (const modelPrices of [prices, ...(bound?.toolModels ?? []).map((model) => model.prices)])
    for (const rates of ratesUpTo(modelPrices, promptTokens, bound?.serviceTier)) {
      promptRate = highest(promptRate, ...promptRates(rates, bound))
      completionRate = highest(completionRate, ...completionRates(rates, bound))
    }
  let cost = BigInt(promptTokens) * promptRate + BigInt(completionTokens) * completionRate
  if (prices.request !== undefined) cost += parsePicoUsd(prices.request)
  for (const unit in { ...bound?.unitCounts, ...relayedUnits }) {
    const count = Math.max(ownValue(bound?.unitCounts, unit) ?? 0, ownValue(relayedUnits, unit) ?? 0)
    cost += BigInt(count) * parsePicoUsd(priceOfUnit(prices, unit) ?? '0')
  }
  return cost
}

function promptRates(
  { prompt, cacheRead, cacheWrite, cacheWrite1h, audioPrompt }: Rates,
  bound?: ExtraUsageBound,
): PicoUsd[] {
  const rates = [prompt, cacheRead, cacheWrite]
  if (bound?.tokenTypes.includes('cacheWrite1h')) rates.push(cacheWrite1h)
  if (bound?.tokenTypes.includes('audioPrompt')) rates.push(audioPrompt)
  return rates
}

function completionRates(rates: Rates, bound?: ExtraUsageBound): PicoUsd[] {
  const { completion, reasoning, audioCompletion, imageCompletion } = rates
  const possible = [completion, reasoning]
  if (bound?.tokenTypes.includes('audioCompletion')) possible.push(audioCompletion)
  if (bound?.tokenTypes.includes('imageCompletion')) possible.push(imageCompletion)
  return possible
}

function highest(...rates: PicoUsd[]): PicoUsd {
  let result = 0n
  for (const rate of rates) if (rate > result) result = rate
  return result
}
