import { toDecimal, unitPrice } from '#platform/core/money.ts'
import { categories, protocols, regions } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { costLookupKinds, reasoningFields, textCallFormatNames } from '../../index/model.ts'
import { modelIdPattern, slugPattern } from '../../index/names/names.ts'
import { hasCredentials } from '../expand-url.ts'

/** A lower price is rejected, because it is most likely in USD per token instead of per million tokens. */
const cheapestPerMillion = 0.0001

const Amount = z
  .union([z.number(), z.string()], { error: 'expected an amount in USD, such as 1.25' })
  .transform((amount, context) => {
    const decimal = toDecimal(amount)
    if (decimal !== undefined && !decimal.startsWith('-')) return decimal
    context.addIssue('expected an amount in USD that is 0 or more, such as 1.25')
    return z.NEVER
  })

const PerMillion = Amount.transform((amount, context) => {
  if (amount === '0' || Number(amount) >= cheapestPerMillion) return unitPrice(amount)
  context.addIssue(`prices are USD per million tokens, and ${amount} looks like the price of one token`)
  return z.NEVER
}).describe('USD per million tokens')

const Tokens = z.number().int().min(1)
const Url = z.string().min(1).nullable()

/** The base URL, to which operations are appended. Reports and logs show it, so it must not contain a secret. */
const BaseUrl = z
  .string()
  .min(1)
  .refine(
    (url) => !/[?#]/.test(url),
    'must have no query, because operations are appended to it, such as /chat/completions',
  )
  .refine(
    (url) => !hasCredentials(url),
    'must not contain a user or password: name the environment variables in "credentials"',
  )

export const TokenPricesRow = z.strictObject({
  prompt: PerMillion.optional(),
  completion: PerMillion.optional(),
  cache_read: PerMillion.optional(),
  cache_write: PerMillion.optional(),
  cache_write_1h: PerMillion.optional(),
  reasoning: PerMillion.optional(),
  audio_prompt: PerMillion.optional(),
  audio_completion: PerMillion.optional(),
  image_completion: PerMillion.optional(),
})

/** A provider's own name of a tool or a service tier. */
const Name = z.string().regex(/^[a-z][a-z0-9_:-]*$/, 'must be a name such as web_search or priority')
const Tools = z.record(Name, Amount).describe('USD per call')

export const PricesRow = TokenPricesRow.extend({
  image: Amount.optional().describe('USD per image'),
  request: Amount.optional().describe('USD per request'),
  tools: Tools.optional(),
  tiers: z.array(TokenPricesRow.extend({ from_prompt_tokens: Tokens })).optional(),
  service_tiers: z.record(Name, TokenPricesRow).optional(),
})

const CompatibilityRow = z
  .strictObject({
    developer_role: z.boolean(),
    late_system_messages: z.boolean(),
    repeated_roles: z.boolean(),
    named_tool_choice: z.boolean(),
    whole_answers: z.boolean(),
    stops_on_disconnect: z.boolean(),
    cost_lookup: z.enum(costLookupKinds),
    reasoning_field: z.enum(reasoningFields),
    reasoning_tags: z.boolean(),
    text_tool_calls: z.enum(textCallFormatNames),
    cumulative_text: z.boolean(),
  })
  .partial()

export const ProviderRow = z.strictObject({
  name: z.string().min(1).optional(),
  aliases: z.array(z.string().regex(slugPattern, 'must be a slug such as together')).optional(),
  protocol: z.enum(protocols).optional(),
  base_url: BaseUrl.nullable().optional(),
  discover: z.boolean().optional(),
  compatibility: CompatibilityRow.optional(),
  prices: PricesRow.optional(),
  credentials: z.array(z.string().regex(/^[A-Za-z_0-9]+$/, 'must be the name of an environment variable')).optional(),
  tools: Tools.optional(),
  privacy_policy_url: Url.optional(),
  terms_of_service_url: Url.optional(),
  status_page_url: Url.optional(),
  remove: z.boolean().optional(),
})

export const EndpointRow = z.strictObject({
  name: z.string().min(1).optional(),
  model: z.string().min(1).optional(),
  protocol: ProviderRow.shape.protocol,
  base_url: BaseUrl.optional(),
  compatibility: CompatibilityRow.optional(),
  context_length: Tokens.optional(),
  max_completion_tokens: Tokens.nullable().optional(),
  max_prompt_tokens: Tokens.nullable().optional(),
  quantization: z.enum(['int4', 'int8', 'fp4', 'fp6', 'fp8', 'fp16', 'bf16', 'fp32', 'unknown']).optional(),
  prices: PricesRow.optional(),
  supported_parameters: z.array(z.string().min(1)).optional(),
  weight: z.number().min(0).max(1e6).optional(),
  implicit_caching: z.boolean().optional(),
  tool_choice: z
    .strictObject({ auto: z.boolean(), none: z.boolean(), required: z.boolean(), function: z.boolean() })
    .partial()
    .optional(),
  regions: z.array(z.enum(regions)).optional(),
  data_policy: z.strictObject({ zdr: z.boolean(), trains: z.boolean(), publishes: z.boolean() }).partial().optional(),
  moderated: z.boolean().optional(),
  remove: z.boolean().optional(),
})

const Day = z.iso.date('must be a day, YYYY-MM-DD')
const Score = z.number().min(0)

export const ModelRow = z.strictObject({
  canonical_slug: z.string().regex(modelIdPattern, 'must be author/slug').optional(),
  name: z.string().min(1).optional(),
  description: z.string().nullable().optional(),
  created: Day.optional(),
  context_length: Tokens.optional(),
  input_modalities: z
    .array(z.enum(['text', 'image', 'audio', 'video', 'file']))
    .min(1)
    .optional(),
  output_modalities: z
    .array(z.enum(['text', 'image', 'audio', 'video', 'embeddings']))
    .min(1)
    .optional(),
  tokenizer: z.string().nullable().optional(),
  instruct_type: z.string().nullable().optional(),
  family: z.string().nullable().optional(),
  default_parameters: z
    .partialRecord(
      z.enum(['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty', 'repetition_penalty']),
      z.number().nullable(),
    )
    .nullable()
    .optional(),
  per_request_limits: z.strictObject({ prompt_tokens: Tokens, completion_tokens: Tokens }).nullable().optional(),
  expiration_date: Day.nullable().optional(),
  knowledge_cutoff: Day.nullable().optional(),
  supported_voices: z.array(z.string().min(1)).nullable().optional(),
  aliases: z.array(z.string().min(1)).optional(),
  categories: z.array(z.enum(categories)).optional(),
  distillable: z.boolean().nullable().optional(),
  benchmarks: z
    .strictObject({ intelligence: Score, coding: Score, agentic: Score, design_arena_elo: Score })
    .partial()
    .optional(),
  remove: z.boolean().optional(),
  /** Each is parsed separately, so that an invalid one does not invalidate its model. */
  endpoints: z.record(z.string(), z.unknown()).optional(),
})
