import type { Endpoint } from '#catalogue/index/model.ts'
import { toDecimal } from '#platform/core/money.ts'
import type { Row, Section } from './config.ts'

/** USD per million tokens, as the catalogue's files have them. */
export type PriceRow = { prompt: string; completion: string; cache_read?: string; cache_write?: string }

/** The price of a row, per token. LiteLLM reads it from either of two places. */
export function pricesOf({ litellm_params: params, model_info: info }: Row): PriceRow | undefined {
  const said: Section = { ...info, ...params }
  const prompt = perMillion(said.input_cost_per_token)
  const completion = perMillion(said.output_cost_per_token)
  if (prompt === undefined || completion === undefined) return undefined
  const cacheRead = perMillion(said.cache_read_input_token_cost)
  const cacheWrite = perMillion(said.cache_creation_input_token_cost)
  return {
    prompt,
    completion,
    ...(cacheRead !== undefined && { cache_read: cacheRead }),
    ...(cacheWrite !== undefined && { cache_write: cacheWrite }),
  }
}

/** The prices of a model that is known, for another way to the same model. */
export function pricesLike({ prices }: Endpoint): PriceRow {
  return {
    prompt: perMillion(prices.prompt) ?? '0',
    completion: perMillion(prices.completion) ?? '0',
    ...(prices.cacheRead && { cache_read: perMillion(prices.cacheRead)! }),
    ...(prices.cacheWrite && { cache_write: perMillion(prices.cacheWrite)! }),
  }
}

/** Decimal, as a price list has it. */
function perMillion(perToken: unknown): string | undefined {
  if (perToken === undefined || perToken === null || perToken === '') return undefined
  const amount = Number(perToken)
  return amount >= 0 ? toDecimal(Number((amount * 1e6).toPrecision(12))) : undefined
}
