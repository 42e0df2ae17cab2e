import type { Prices } from '#catalogue/index/model.ts'
import { picoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { ChargedPrices } from '#spend/ledger/generation.ts'
import type { Charge } from '../record/charge.ts'
import { priceOfPiece } from './cost.ts'
import { ratesFor } from './rates.ts'

/** The prices by which a charge is what it is: of what was used alone, as a row is written for every request. */
export function chargedPrices(prices: Prices, { tokens, extras }: Pick<Charge, 'tokens' | 'extras'>): ChargedPrices {
  const rates = ratesFor(prices, tokens.prompt, extras?.serviceTier)
  const told: { [kind: string]: number } = { prompt: toUsd(rates.prompt), completion: toUsd(rates.completion) }
  if (tokens.cached > 0) told.input_cache_read = toUsd(rates.cacheRead)
  if (tokens.cacheWritten > 0) told.input_cache_write = toUsd(rates.cacheWrite)
  if (tokens.reasoning > 0) told.internal_reasoning = toUsd(rates.reasoning)
  const { parts } = tokens
  if (parts?.cacheWritten1h) told.input_cache_write_1h = toUsd(rates.cacheWrite1h)
  if (parts?.audioPrompt) told.audio = toUsd(rates.audioPrompt)
  if (parts?.audioCompletion) told.audio_output = toUsd(rates.audioCompletion)
  if (parts?.imageCompletion) told.image_output = toUsd(rates.imageCompletion)
  if (prices.request !== undefined) told.request = toUsd(picoUsd(prices.request))
  for (const unit in extras?.pieces)
    if (!Object.hasOwn(told, unit)) told[unit] = toUsd(picoUsd(priceOfPiece(prices, unit) ?? '0'))
  return told
}
