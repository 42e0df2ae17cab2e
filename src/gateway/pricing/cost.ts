import type { Prices } from '#catalogue/index/model.ts'
import type { Extras, TokenCounts } from '#chat/events.ts'
import { ownValue } from '#platform/core/own-value.ts'
import { type PicoUsd, parsePicoUsd } from '#platform/core/pico-usd.ts'
import { type ModelUsage, ownTokens } from './model-usage.ts'
import { type Rates, ratesFor } from './rates.ts'

/**
 * The exact cost of a response at the prices of its endpoint.
 * @param models the usage of models that tools called, at the prices of these models.
 */
export function costOf(
  prices: Prices,
  tokens: TokenCounts,
  extras?: Extras,
  models: readonly ModelUsage[] = [],
): PicoUsd {
  let cost = costOfTokens(prices, ownTokens(tokens, models), extras?.serviceTier)
  for (const model of models) cost += costOfTokens(model.prices, model.tokens, extras?.serviceTier)
  if (prices.request !== undefined) cost += parsePicoUsd(prices.request)
  for (const unit in extras?.pieces)
    cost += BigInt(extras.pieces[unit]!) * parsePicoUsd(priceOfUnit(prices, unit) ?? '0')
  return cost
}

function costOfTokens(prices: Prices, tokens: TokenCounts, serviceTier: string | undefined): PicoUsd {
  const rates = ratesFor(prices, tokens.prompt, serviceTier)
  return addCompletion(addPrompt(0n, rates, tokens), rates, tokens)
}

/**
 * The amount that prompt caching saved, for the answering model and the models that its tools called. Negative if cache
 * writes cost more than cache reads saved.
 */
export function cacheSavingOf(prices: Prices, { tokens, extras, models, cost }: CachedCost): PicoUsd | undefined {
  if (tokens.cached === 0 && tokens.cacheWritten === 0) return undefined
  const uncachedModels = models?.map((model) => ({ ...model, tokens: withoutCache(model.tokens) }))
  return costOf(prices, withoutCache(tokens), extras, uncachedModels) - cost
}

function withoutCache(tokens: TokenCounts): TokenCounts {
  const { cacheWritten1h: _written, ...parts } = tokens.parts ?? {}
  return { ...tokens, parts, cached: 0, cacheWritten: 0 }
}

type CachedCost = { tokens: TokenCounts; extras: Extras | undefined; models?: readonly ModelUsage[]; cost: PicoUsd }

/** The price of one unit in USD. `unit` can be any text, because upstreams report it. */
export function priceOfUnit({ image, tools }: Prices, unit: string): string | undefined {
  if (unit === 'image') return image
  return ownValue(tools, unit)
}

/**
 * Charges each token once, at its most expensive type. Audio counts as not cached, because no provider reports how much audio
 * was cached: the cached count is assumed to include all audio, and only the remaining cached tokens have the cache price.
 */
function addPrompt(sum: PicoUsd, rates: Rates, { prompt, cached, cacheWritten, parts }: TokenCounts): PicoUsd {
  const audioTokens = Math.min(parts?.audioPrompt ?? 0, prompt)
  const writtenTokens = Math.min(cacheWritten, prompt - audioTokens)
  const longWrittenTokens = Math.min(parts?.cacheWritten1h ?? 0, writtenTokens)
  const readTokens = Math.max(0, Math.min(cached - audioTokens, prompt - audioTokens - writtenTokens))
  let cost = addTokens(sum, audioTokens, rates.audioPrompt)
  cost = addTokens(cost, longWrittenTokens, rates.cacheWrite1h)
  cost = addTokens(cost, writtenTokens - longWrittenTokens, rates.cacheWrite)
  cost = addTokens(cost, readTokens, rates.cacheRead)
  return addTokens(cost, prompt - audioTokens - writtenTokens - readTokens, rates.prompt)
}

function addCompletion(sum: PicoUsd, rates: Rates, { completion, reasoning, parts }: TokenCounts): PicoUsd {
  const audioTokens = Math.min(parts?.audioCompletion ?? 0, completion)
  const imageTokens = Math.min(parts?.imageCompletion ?? 0, completion - audioTokens)
  const reasoningTokens = Math.min(reasoning, completion - audioTokens - imageTokens)
  let cost = addTokens(sum, audioTokens, rates.audioCompletion)
  cost = addTokens(cost, imageTokens, rates.imageCompletion)
  cost = addTokens(cost, reasoningTokens, rates.reasoning)
  return addTokens(cost, completion - audioTokens - imageTokens - reasoningTokens, rates.completion)
}

/** Skips counts of 0, which are most: each calculation with a big integer creates another one. */
const addTokens = (sum: PicoUsd, count: number, rate: PicoUsd): PicoUsd =>
  count === 0 ? sum : sum + BigInt(count) * rate
