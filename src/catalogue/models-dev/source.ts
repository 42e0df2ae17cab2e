import { z } from 'zod'

const Price = z.number().min(0)
const Cost = z.looseObject({
  input: Price,
  output: Price,
  cache_read: Price.optional(),
  cached_input: Price.optional(),
  cache_input: Price.optional(),
  cache_write: Price.optional(),
  cached_write: Price.optional(),
  reasoning: Price.optional(),
})

/** The members of a models.dev entry that are read; all others may be anything. */
export const SourceModel = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  family: z.string().optional(),
  release_date: z.string().regex(/^\d{4}-\d{2}(-\d{2})?$/, 'expected YYYY-MM-DD or YYYY-MM'),
  knowledge: z.string().optional(),
  base_model: z.string().optional(),
  tool_call: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  temperature: z.boolean().optional(),
  structured_output: z.boolean().optional(),
  modalities: z.looseObject({ input: z.array(z.string()), output: z.array(z.string()) }),
  limit: z.looseObject({ context: z.number(), output: z.number(), input: z.number().optional() }),
  cost: Cost.extend({
    tiers: z
      .array(Cost.partial().extend({ tier: z.looseObject({ type: z.string().optional(), size: z.number() }) }))
      .optional(),
  }).optional(),
  provider: z.looseObject({ npm: z.string(), api: z.string(), shape: z.string() }).partial().optional(),
})
export type SourceModel = z.infer<typeof SourceModel>

export const SourceProvider = z.looseObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'expected a slug'),
  name: z.string().min(1),
  npm: z.string(),
  api: z.string().optional(),
  env: z.array(z.string()),
  models: z.record(z.string(), z.unknown()),
})
export type SourceProvider = z.infer<typeof SourceProvider>
