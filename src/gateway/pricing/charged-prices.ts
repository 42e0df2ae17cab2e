import type { Prices } from '#catalogue/index/model.ts'
import { parsePicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { ChargedPrices } from '#spend/ledger/generation.ts'
import type { Charge } from '../record/charge/charge.ts'
import { priceOfUnit } from './cost.ts'
import { ownTokens } from './model-usage.ts'
import { ratesFor } from './rates.ts'

/**
 * The prices of the endpoint that apply to a charge, without the prices of models that tools called. Prices of unused units
 * are omitted, because each ledger row stores the result.
 */
export function chargedPrices(
  prices: Prices,
  { tokens: allTokens, extras, models }: Pick<Charge, 'tokens' | 'extras' | 'models'>,
): ChargedPrices {
  const tokens = ownTokens(allTokens, models)
  const rates = ratesFor(prices, tokens.prompt, extras?.serviceTier)
  const charged: { [unit: string]: number } = { prompt: toUsd(rates.prompt), completion: toUsd(rates.completion) }
  if (tokens.cached > 0) charged.input_cache_read = toUsd(rates.cacheRead)
  if (tokens.cacheWritten > 0) charged.input_cache_write = toUsd(rates.cacheWrite)
  if (tokens.reasoning > 0) charged.internal_reasoning = toUsd(rates.reasoning)
  const { parts } = tokens
  if (parts?.cacheWritten1h) charged.input_cache_write_1h = toUsd(rates.cacheWrite1h)
  if (parts?.audioPrompt) charged.audio = toUsd(rates.audioPrompt)
  if (parts?.audioCompletion) charged.audio_output = toUsd(rates.audioCompletion)
  if (parts?.imageCompletion) charged.image_output = toUsd(rates.imageCompletion)
  if (prices.request !== undefined) charged.request = toUsd(parsePicoUsd(prices.request))
  for (const unit in extras?.pieces)
    if (!Object.hasOwn(charged, unit)) charged[unit] = toUsd(parsePicoUsd(priceOfUnit(prices, unit) ?? '0'))
  return charged
}
