import { z } from '#platform/json/schema.ts'
import { canBeCalled, type Model, type Prices } from './model.ts'
import { cheapestEndpoint } from './prices/cheapest.ts'

const Price = z.string().describe('USD, as a decimal string; "0" is free.')

export const Pricing = z.object({
  prompt: Price,
  completion: Price,
  image: Price.optional(),
  request: Price.optional(),
  input_cache_read: Price.optional(),
  input_cache_write: Price.optional(),
  input_cache_write_1h: Price.optional(),
  internal_reasoning: Price.optional(),
  audio: Price.optional().describe('Price of an audio token in the prompt.'),
  audio_output: Price.optional().describe('Price of an audio token in the response.'),
  image_output: Price.optional().describe('Price of an image token in the response.'),
  web_search: Price.optional().describe('Price of one web search by the provider.'),
})

export const Architecture = z.object({
  modality: z.string().describe('Input and output modalities, such as `text+image->text`.'),
  input_modalities: z.array(z.string()),
  output_modalities: z.array(z.string()),
  tokenizer: z.string().optional(),
  instruct_type: z.string().optional(),
})

export const Callable = z
  .literal(false)
  .optional()
  .describe(
    'False if the service does not support the model, because it returns neither text nor embeddings. Absent otherwise.',
  )

/** False for a model that is only listed; undefined for one that can be called. */
export const toCallable = (model: Model) => (canBeCalled(model) ? undefined : (false as const))

const Score = z.number().nullable()

/** The scores of a model in the benchmarks of Artificial Analysis, in the form of OpenRouter. */
export const ArtificialAnalysis = z.object({ intelligence_index: Score, coding_index: Score, agentic_index: Score })

/** Benchmark scores in the form of OpenRouter. Absent without scores. */
const Benchmarks = z.object({
  artificial_analysis: ArtificialAnalysis.describe('Scores by which `GET /models` sorts and filters.'),
  design_arena: z.array(z.unknown()).describe('Always empty, because the catalogue has no ranks.'),
})

/** Whether a model has any score of Artificial Analysis. */
export function hasScore({ benchmarks: { intelligence, coding, agentic } }: Model): boolean {
  return (intelligence ?? coding ?? agentic) !== undefined
}

export function toArtificialAnalysis({ benchmarks }: Model): z.infer<typeof ArtificialAnalysis> {
  return {
    intelligence_index: benchmarks.intelligence ?? null,
    coding_index: benchmarks.coding ?? null,
    agentic_index: benchmarks.agentic ?? null,
  }
}

function toBenchmarks(model: Model): z.infer<typeof Benchmarks> | undefined {
  return hasScore(model) ? { artificial_analysis: toArtificialAnalysis(model), design_arena: [] } : undefined
}

/** A model in the form of the API. */
export const ModelItem = z
  .object({
    id: z.string(),
    canonical_slug: z.string(),
    name: z.string(),
    created: z.int().describe('Unix time in seconds.'),
    description: z.string().optional(),
    context_length: z.int(),
    architecture: Architecture,
    callable: Callable,
    pricing: Pricing.describe("The prices of the model's cheapest endpoint."),
    top_provider: z.object({
      context_length: z.int(),
      max_completion_tokens: z.int().describe('Equals the context length if no other limit is known.'),
      is_moderated: z.boolean(),
    }),
    supported_parameters: z.array(z.string()).describe('Request parameters that at least one endpoint supports.'),
    per_request_limits: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullable(),
    default_parameters: z.record(z.string(), z.number().nullable()).nullable(),
    supported_voices: z.array(z.string()).nullable(),
    benchmarks: Benchmarks.optional(),
    knowledge_cutoff: z.string().nullable(),
    expiration_date: z.string().nullable(),
    links: z.object({ details: z.string().describe("The path of the model's endpoints.") }),
  })
  .meta({ id: 'Model' })
export type ModelItem = z.infer<typeof ModelItem>

/** Converts a model. Fields without a value are undefined, and absent from the JSON. */
export function toModelItem(model: Model): ModelItem {
  const { endpoint } = cheapestEndpoint(model)
  return {
    id: model.id,
    canonical_slug: model.canonicalSlug,
    name: model.name,
    created: model.created,
    description: model.description ?? undefined,
    context_length: model.contextLength,
    architecture: toArchitecture(model),
    callable: toCallable(model),
    pricing: toPricing(endpoint.prices),
    top_provider: {
      context_length: endpoint.contextLength,
      max_completion_tokens: endpoint.maxCompletionTokens ?? endpoint.contextLength,
      is_moderated: endpoint.moderated,
    },
    supported_parameters: listSupportedParameters(model),
    per_request_limits: model.perRequestLimits,
    default_parameters: model.defaultParameters,
    supported_voices: model.supportedVoices,
    benchmarks: toBenchmarks(model),
    knowledge_cutoff: model.knowledgeCutoff,
    expiration_date: model.expirationDate,
    links: { details: `/api/v1/models/${model.id}/endpoints` },
  }
}

export function toArchitecture(model: Model): z.infer<typeof Architecture> {
  return {
    modality: `${model.inputModalities.join('+')}->${model.outputModalities.join('+')}`,
    input_modalities: model.inputModalities,
    output_modalities: model.outputModalities,
    tokenizer: model.tokenizer ?? undefined,
    instruct_type: model.instructType ?? undefined,
  }
}

export function toPricing(prices: Prices): z.infer<typeof Pricing> {
  return {
    prompt: prices.prompt,
    completion: prices.completion,
    image: prices.image,
    request: prices.request,
    input_cache_read: prices.cacheRead,
    input_cache_write: prices.cacheWrite,
    input_cache_write_1h: prices.cacheWrite1h,
    internal_reasoning: prices.reasoning,
    audio: prices.audioPrompt,
    audio_output: prices.audioCompletion,
    image_output: prices.imageCompletion,
    web_search: prices.tools?.web_search ?? prices.tools?.google_search,
  }
}

/** Parameters that at least one endpoint accepts. */
export function listSupportedParameters(model: Model): string[] {
  return [...new Set(model.endpoints.flatMap((endpoint) => endpoint.supportedParameters))].sort()
}
