import type { z } from 'zod'
import type { Prices, TokenPrices } from '../../index/model.ts'
import type { PricesRow, TokenPricesRow } from './rows.ts'
import { withoutUndefined } from './without-undefined.ts'

type PricesPatchRow = z.output<typeof PricesRow>

/** Converts the prices of a row in a catalogue file. */
export function toPricesPatch({
  tiers,
  service_tiers,
  tools,
  image,
  request,
  ...tokens
}: PricesPatchRow): Partial<Prices> {
  return withoutUndefined({
    ...toTokenPrices(tokens),
    image,
    request,
    tools,
    tiers: tiers && sortedTiers(tiers.map(toTier)),
    serviceTiers: service_tiers && mapValues(service_tiers, toTokenPrices),
  })
}

function toTokenPrices(row: z.output<typeof TokenPricesRow>): Partial<TokenPrices> {
  return withoutUndefined({
    prompt: row.prompt,
    completion: row.completion,
    cacheRead: row.cache_read,
    cacheWrite: row.cache_write,
    cacheWrite1h: row.cache_write_1h,
    reasoning: row.reasoning,
    audioPrompt: row.audio_prompt,
    audioCompletion: row.audio_completion,
    imageCompletion: row.image_completion,
  })
}

type Tier = NonNullable<Prices['tiers']>[number]

function toTier({ from_prompt_tokens, ...tokens }: NonNullable<PricesPatchRow['tiers']>[number]): Tier {
  return { fromPromptTokens: from_prompt_tokens, ...toTokenPrices(tokens) }
}

const sortedTiers = (tiers: Tier[]) => tiers.toSorted((a, b) => a.fromPromptTokens - b.fromPromptTokens)

function mapValues<A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}
