import { z } from '#platform/json/schema.ts'
import type { EndpointFigures } from '../measurements/figures.ts'
import type { Endpoint, Model } from './model.ts'
import { Architecture, Callable, Pricing, toArchitecture, toCallable, toPricing } from './model-item.ts'

const Percentiles = z.object({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() }).nullable()
const Uptime = z.number().nullable().describe('Percentage of successful requests; null without requests.')

/** One provider's offer of a model. Required fields without a value are null. */
export const EndpointItem = z
  .object({
    name: z.string(),
    model_id: z.string(),
    model_name: z.string(),
    provider_name: z.string(),
    tag: z.string(),
    quantization: z.string(),
    status: z
      .union([z.string(), z.int()])
      .describe('`healthy`, `degraded`, `down` or `unconfigured`; a number in the dialect `openrouter`.'),
    context_length: z.int(),
    max_completion_tokens: z.int(),
    max_prompt_tokens: z.int(),
    pricing: Pricing,
    supported_parameters: z.array(z.string()),
    supports_implicit_caching: z.boolean(),
    supports_tool_choice: z.object({
      auto: z.boolean(),
      none: z.boolean(),
      required: z.boolean(),
      function: z.boolean(),
    }),
    latency_last_30m: Percentiles.describe('Milliseconds to the first token; null while there is too little data.'),
    throughput_last_30m: Percentiles.describe('Tokens per second; null while there is too little data.'),
    uptime_last_5m: Uptime,
    uptime_last_30m: Uptime,
    uptime_last_1d: Uptime,
    billed_more_than_bound: z
      .int()
      .optional()
      .describe(
        'The number of requests for which the provider billed or counted more tokens than they could use; absent if there are none.',
      ),
  })
  .meta({ id: 'Endpoint' })
export type EndpointItem = z.infer<typeof EndpointItem>

/** A model with its endpoints. Unlike in lists, properties without a value are present, because clients require them. */
export const ModelEndpoints = z
  .object({
    id: z.string(),
    name: z.string(),
    created: z.int(),
    description: z.string().describe('Empty if there is none.'),
    architecture: Architecture.extend({ tokenizer: z.string().nullable(), instruct_type: z.string().nullable() }),
    callable: Callable,
    endpoints: z.array(EndpointItem),
  })
  .meta({ id: 'ModelEndpoints' })

export function toModelEndpoints(model: Model, endpoints: EndpointItem[]): z.infer<typeof ModelEndpoints> {
  return {
    id: model.id,
    name: model.name,
    created: model.created,
    description: model.description ?? '',
    architecture: { ...toArchitecture(model), tokenizer: model.tokenizer, instruct_type: model.instructType },
    callable: toCallable(model),
    endpoints,
  }
}

export function toEndpointItem(
  model: Model,
  endpoint: Endpoint,
  current: { providerName: string; status: string | number; figures: EndpointFigures },
): EndpointItem {
  return {
    name: endpoint.name,
    model_id: model.id,
    model_name: model.name,
    provider_name: current.providerName,
    tag: endpoint.tag,
    quantization: endpoint.quantization,
    status: current.status,
    context_length: endpoint.contextLength,
    max_completion_tokens: endpoint.maxCompletionTokens ?? endpoint.contextLength,
    max_prompt_tokens: endpoint.maxPromptTokens ?? endpoint.contextLength,
    pricing: toPricing(endpoint.prices),
    supported_parameters: endpoint.supportedParameters,
    supports_implicit_caching: endpoint.supportsImplicitCaching,
    supports_tool_choice: endpoint.toolChoice,
    latency_last_30m: current.figures.latencyMs,
    throughput_last_30m: current.figures.throughput,
    uptime_last_5m: current.figures.uptime5m,
    uptime_last_30m: current.figures.uptime30m,
    uptime_last_1d: current.figures.uptime1d,
  }
}
