import type { Endpoint } from '#catalogue/index/model.ts'
import { toDecimal } from '#platform/core/money.ts'
import type { Row, Section } from '../config.ts'

/** Prices of a catalogue file, in USD per million tokens. */
export type PriceRow = { prompt: string; completion: string; cache_read?: string; cache_write?: string }

/** Converts the prices of a row, which are in USD per token. LiteLLM accepts them in `litellm_params` and in `model_info`. */
export function pricesOf({ litellm_params: params, model_info: info }: Row): PriceRow | undefined {
  const fields: Section = { ...info, ...params }
  const prompt = perMillion(fields.input_cost_per_token)
  const completion = perMillion(fields.output_cost_per_token)
  if (prompt === undefined || completion === undefined) return undefined
  const cacheRead = perMillion(fields.cache_read_input_token_cost)
  const cacheWrite = perMillion(fields.cache_creation_input_token_cost)
  const prices: PriceRow = { prompt, completion }
  if (cacheRead !== undefined) prices.cache_read = cacheRead
  if (cacheWrite !== undefined) prices.cache_write = cacheWrite
  return prices
}

/** The prices of a known endpoint, for another endpoint of the same model. */
export function copyPrices({ prices }: Endpoint): PriceRow {
  return {
    prompt: perMillion(prices.prompt) ?? '0',
    completion: perMillion(prices.completion) ?? '0',
    ...(prices.cacheRead && { cache_read: perMillion(prices.cacheRead)! }),
    ...(prices.cacheWrite && { cache_write: perMillion(prices.cacheWrite)! }),
  }
}

/** Converts a price per token to a decimal price per million tokens. */
function perMillion(perToken: unknown): string | undefined {
  if (perToken === undefined || perToken === null || perToken === '') return undefined
  const amount = Number(perToken)
  return amount >= 0 ? toDecimal(Number((amount * 1e6).toPrecision(12))) : undefined
}
