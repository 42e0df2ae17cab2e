import { requireFieldOfType } from '#platform/json/conditional-rules.ts'
import { z } from '#platform/json/schema.ts'

/** Fields that control routing, the same in every kind of request body. Nested objects accept unknown keys. */

const Sort = z.enum(['price', 'throughput', 'latency'])

const names = z.array(z.string()).nullish()

const Price = z.union([z.number().nonnegative(), z.string().regex(/^\d+(\.\d+)?$/)], {
  error: 'must be a number or decimal text, at least 0, in USD per million tokens, or per image or request',
})

/** A bound on a measured value, or one for each percentile of the last 30 minutes. */
const PercentileBound = z.union(
  [z.number(), z.looseObject({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() }).partial()],
  {
    error: 'must be a number or an object of percentiles (p50, p75, p90, p99)',
  },
)

export const ProviderPreferences = z
  .looseObject({
    order: names.describe('Providers to try first, in this order.'),
    only: names.describe('Allowed providers.'),
    ignore: names.describe('Excluded providers.'),
    allow_fallbacks: z.boolean().nullish().describe('Whether to try other providers if the first one fails.'),
    require_parameters: z.boolean().nullish().describe('Only endpoints that support every parameter of the request.'),
    data_collection: z.enum(['allow', 'deny']).nullish(),
    zdr: z.boolean().nullish().describe('Only endpoints with zero data retention.'),
    quantizations: names,
    sort: z
      .union([Sort, z.looseObject({ by: Sort.nullish(), partition: z.enum(['model', 'none']).nullish() })], {
        error: 'must be "price", "throughput", "latency" or an object with "by" and "partition"',
      })
      .nullish(),
    max_price: z
      .looseObject({ prompt: Price, completion: Price, image: Price, request: Price, audio: Price })
      .partial()
      .nullish(),
    preferred_min_throughput: PercentileBound.nullish().describe('Tokens per second.'),
    preferred_max_latency: PercentileBound.nullish().describe('Seconds to the first token.'),
  })
  .meta({ id: 'ProviderPreferences', description: 'The allowed providers and their order.' })
export type ProviderPreferences = z.infer<typeof ProviderPreferences>

export const Route = z.enum(['fallback', 'sort']).nullish().meta({
  deprecated: true,
  description: 'Deprecated: use `provider.sort.partition`. `fallback` means `model`, `sort` means `none`.',
})

export const Plugin = z.looseObject({ id: z.string() }).describe('A plugin and its settings.')

export const ServiceTier = z.enum(['auto', 'default', 'flex', 'priority', 'scale'])

/** A condition that ends the loop of server tools. Unknown types are passed unchanged. */
export const StopCondition = requireFieldOfType(
  z.looseObject({
    type: z.string(),
    step_count: z.int().optional(),
    max_cost_in_dollars: z.number().optional(),
  }),
  { step_count_is: 'step_count', max_cost: 'max_cost_in_dollars' },
).describe('For example `{type: "step_count_is", step_count: 5}` or `{type: "max_cost", max_cost_in_dollars: 0.5}`.')
