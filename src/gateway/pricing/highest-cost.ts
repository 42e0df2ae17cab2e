import type { Prices } from '#catalogue/index/model.ts'
import { ownValue } from '#platform/core/own-value.ts'
import { type PicoUsd, parsePicoUsd } from '#platform/core/pico-usd.ts'
import type { Bill } from './bill.ts'
import { priceOfPiece } from './cost.ts'
import { type Rates, ratesUpTo } from './rates.ts'

/**
 * The highest cost of these tokens, whichever of them are cached, reasoning or of another kind.
 * @param pieces the pieces that were relayed already, which can be more than expected.
 */
export function highestCost(
  prices: Prices,
  prompt: number,
  completion: number,
  bill?: Bill,
  pieces: Record<string, number> = {},
): PicoUsd {
  let perPrompt = 0n
  let perCompletion = 0n
  for (const modelPrices of [prices, ...(bill?.models ?? []).map((model) => model.prices)])
    for (const rates of ratesUpTo(modelPrices, prompt, bill?.serviceTier)) {
      perPrompt = highest(perPrompt, ...promptRates(rates, bill))
      perCompletion = highest(perCompletion, ...completionRates(rates, bill))
    }
  let cost = BigInt(prompt) * perPrompt + BigInt(completion) * perCompletion
  if (prices.request !== undefined) cost += parsePicoUsd(prices.request)
  for (const unit in { ...bill?.pieces, ...pieces }) {
    const count = Math.max(ownValue(bill?.pieces, unit) ?? 0, ownValue(pieces, unit) ?? 0)
    cost += BigInt(count) * parsePicoUsd(priceOfPiece(prices, unit) ?? '0')
  }
  return cost
}

function promptRates({ prompt, cacheRead, cacheWrite, cacheWrite1h, audioPrompt }: Rates, bill?: Bill): PicoUsd[] {
  const rates = [prompt, cacheRead, cacheWrite]
  if (bill?.kinds.includes('cacheWrite1h')) rates.push(cacheWrite1h)
  if (bill?.kinds.includes('audioPrompt')) rates.push(audioPrompt)
  return rates
}

function completionRates(rates: Rates, bill?: Bill): PicoUsd[] {
  const { completion, reasoning, audioCompletion, imageCompletion } = rates
  const possible = [completion, reasoning]
  if (bill?.kinds.includes('audioCompletion')) possible.push(audioCompletion)
  if (bill?.kinds.includes('imageCompletion')) possible.push(imageCompletion)
  return possible
}

function highest(...rates: PicoUsd[]): PicoUsd {
  let result = 0n
  for (const rate of rates) if (rate > result) result = rate
  return result
}
