import { clientOf } from '#gateway/clients/clients.ts'
import { regions } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import type { GenerationRecord } from '#spend/ledger/record.ts'

const count = z.int().nullable()

const Attempt = z.object({
  endpoint_id: z.string(),
  provider_name: z.string(),
  outcome: z.string().describe('`answered`, `broke`, `client_left`, `circuit_open`, or what kind of failure it was.'),
  duration: z.number().describe('Milliseconds, to the end of its answer or until it failed.'),
  reason: z.string().optional().describe('Why, where the outcome does not say it all.'),
  connect: z
    .number()
    .nullable()
    .describe('Milliseconds until there was a connection; 0 for one that was kept, null where none came about.'),
  first_byte: z
    .number()
    .nullable()
    .describe('Milliseconds from when it was asked to the first byte of its answer, which may be a failure.'),
})

const NotAsked = z.object({
  endpoint_id: z.string(),
  standing: z
    .enum(['behind', 'left_out'])
    .describe('`behind`: it would have been asked after the others. `left_out`: not in any case.'),
  reason: z
    .string()
    .describe(
      'Why it stood behind: `not_reached` (another one answered), `troubled` (it failed lately), `circuit_shut`, `slow` (as the request prefers). Why it was left out: `unconfigured`, `guardrail`, `not_priceable`, `no_fallbacks`, or which wish or need of the request it does not meet.',
    ),
})

const Finding = z.object({
  guardrail_id: z.string(),
  rule: z.string(),
  action: z.string().describe('`redact` or `flag`.'),
  count: z.int(),
})

const Failure = z.looseObject({
  kind: z.string(),
  message: z.string().optional(),
  guardrail_id: z.string().optional().describe('The guardrail that forbid it; without one, the limit of its key.'),
  rule: z.string().optional(),
  excluded: z
    .array(z.object({ endpoint: z.string(), reason: z.string() }))
    .optional()
    .describe('Endpoints that were not asked, and why.'),
})

/** Who asked, for what, and which way it went. */
const story = {
  request_id: z.string(),
  workspace_id: z.string(),
  user_id: z.string(),
  key_hash: z.string(),
  requested_model: z.string().describe('What the request named.'),
  candidate_models: z
    .array(z.string())
    .describe('The models that could have answered before guardrails decided, first choice first.'),
  upstream_model: z.string().nullable(),
  endpoint_id: z.string().nullable(),
  protocol: z.string().describe('What the client speaks.'),
  is_byok: z.boolean().describe('Whether the workspace’s own provider key paid.'),
  outcome: z.enum(['success', 'failed', 'refused', 'client_left']).describe('`refused`: no endpoint was asked.'),
  attempts: z.array(Attempt).describe('The endpoints that were asked, or were to be, in this order.'),
  not_asked: z
    .array(NotAsked)
    .describe('Other endpoints that could have answered, 30 at the most; none where nobody was chosen.'),
  ordered_by: z
    .enum(['draw', 'order', 'price', 'throughput', 'latency'])
    .nullable()
    .describe(
      'What put the endpoints that could be asked into their order: `draw` (a lot, the cheaper the likelier), `order` (the list of the request), or what the request or the model’s variant sorts by; null where there were no two.',
    ),
  content_findings: z.array(Finding).describe('What content filters found and let through, never the text.'),
  tool_calls: z.int(),
  native_finish_reason: z.string().nullable(),
  tokens_cached: z.int(),
  tokens_cache_written: z.int(),
  tokens_cache_written_1h: z.int(),
  tokens_reasoning: z.int(),
  tokens_audio_prompt: z.int(),
  tokens_audio_completion: z.int(),
  tokens_image_completion: z.int(),
  throughput: z.number().nullable().describe('Tokens per second after the first.'),
  upstream_inference_cost: z.number().describe('In USD, whoever paid.'),
  charged_prices: z
    .record(z.string(), z.number())
    .nullable()
    .describe(
      'What one of each was charged, in USD, by the names in an endpoint’s `pricing`: a token of each kind that was used, the request, pieces by their names. Null where nobody answered, and for requests of older versions.',
    ),
  pace: z
    .object({ every: z.number().describe('Milliseconds.'), tokens: z.array(z.int()) })
    .nullable()
    .describe(
      'The tokens of a streamed answer in equal stretches of time from its first on; null where it came at once.',
    ),
}

export const GenerationAnswer = z
  .looseObject({
    id: z.string(),
    ...story,
    upstream_id: z.string().nullable(),
    created_at: z.iso.datetime(),
    model: z.string(),
    provider_name: z.string().nullable(),
    preset: z.object({ id: z.uuid(), slug: z.string(), version: z.int() }).nullable(),
    region: z.enum(regions).describe('What the request came in through.'),
    streamed: z.boolean(),
    cancelled: z.boolean(),
    finish_reason: z.string().nullable(),
    tokens_prompt: count,
    tokens_completion: count,
    native_tokens_cached: count,
    native_tokens_reasoning: count,
    tokens_estimated: z
      .boolean()
      .describe('Whether the provider did not count the tokens to the end, so that they are estimated.'),
    tokens_capped: z
      .boolean()
      .describe('Whether the provider counted more than the request made possible, so that what was possible counts.'),
    total_cost: z.number().describe('In USD. An estimate where the tokens are.'),
    limit_cost: z
      .number()
      .describe(
        'What limits are charged, in USD: as much as it cost, or the most that it can have cost where nobody counted.',
      ),
    billed_pieces: z
      .record(z.string(), z.int())
      .describe('What was billed by the piece: images, and calls of tools that the provider ran, by their names.'),
    service_tier: z.string().nullable().describe('The tier that served, where it was not the ordinary one.'),
    unpriced: z
      .array(z.string())
      .describe('What was billed, or asked for, though the catalogue has no price for it: the cost is without it.'),
    latency: z.number().nullable().describe('Milliseconds to the first token.'),
    generation_time: z.number().nullable().describe('Milliseconds in all.'),
    session_id: z.string().nullable(),
    app_title: z
      .string()
      .nullable()
      .describe('The program that asked, as its header `X-Title` or `X-OpenRouter-Title` says.'),
    http_referer: z
      .string()
      .nullable()
      .describe('Where it is, as its header `HTTP-Referer` or `Referer` says, without a query.'),
    origin: z.string().describe('The origin of `http_referer`, empty where there is none.'),
    error: Failure.optional().describe(
      'Why it was refused or failed: what kind of failure, and the guardrail and rule that forbid it.',
    ),
  })
  .meta({ id: 'Generation', description: 'What was metered for one request.' })

/** Fields that similar services have and this one does not. Their clients expect every key. */
const notHere = {
  app_id: null,
  external_user: null,
  moderation_latency: null,
  num_fetches: null,
  num_input_audio_prompt: null,
  num_media_completion: null,
  num_media_prompt: null,
  num_search_results: null,
  router: null,
  user_agent: null,
  web_search_engine: null,
}

/** The record, and the same under the names that clients of this kind of API know. */
export function generationAnswer(record: GenerationRecord): z.infer<typeof GenerationAnswer> {
  return {
    ...notHere,
    ...record,
    api_type: clientOf(record.protocol)?.apiType ?? 'completions',
    data_region: record.region,
    origin: originOf(record.http_referer),
    preset_id: record.preset?.id ?? null,
    native_tokens_prompt: record.tokens_prompt,
    native_tokens_completion: record.tokens_completion,
    native_tokens_cached: record.tokens_cached,
    native_tokens_reasoning: record.tokens_reasoning,
    native_tokens_completion_images: record.tokens_image_completion,
    usage: record.total_cost,
    provider_responses: null,
  }
}

function originOf(referer: string | null): string {
  return (referer && URL.parse(referer)?.origin) || ''
}
