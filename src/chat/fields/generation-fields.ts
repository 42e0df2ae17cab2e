import { z } from '#platform/json/schema.ts'

/** Fields that control generation, the same in every kind of request body. Nested objects accept unknown keys. */

export const Reasoning = z
  .looseObject({
    effort: z.string().nullish(),
    summary: z.string().nullish(),
    enabled: z.boolean().nullish(),
    max_tokens: z.int().nullish(),
  })
  .describe('Whether and how much the model reasons before the response.')

/** The maximum number of tokens of a response. */
export const OutputLimit = z.int().min(1)

/** The number of responses to one request. */
export const ChoiceCount = z.int().min(1).max(128)

export const CacheControl = z
  .looseObject({ type: z.string(), ttl: z.string().optional() })
  .describe('Sets a cache breakpoint on the last cacheable block, for models that support it.')

export const PromptCacheOptions = z
  .looseObject({ mode: z.string().optional(), ttl: z.string().nullish() })
  .describe('`mode` `explicit` caches only the marked blocks.')

export const ImageConfig = z.looseObject({}).describe('Image options; the keys vary by model.')
