import { findClient } from '#gateway/clients/clients.ts'
import { regions } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { canReadTexts, type TextReader } from '#spend/ledger/list/visibility.ts'
import type { GenerationRecord } from '#spend/ledger/record.ts'

const nullableCount = z.int().nullable()

const Attempt = z.object({
  endpoint_id: z.string(),
  provider_name: z.string(),
  outcome: z
    .string()
    .describe(
      '`answered`, `broke` (the answer broke off), `client_left` (the client disconnected), `circuit_open` (skipped, because the circuit breaker is open), or the kind of failure.',
    ),
  duration: z.number().describe('Milliseconds to the end of the answer or to the failure.'),
  reason: z.string().optional().describe('Details of the outcome, if there are any.'),
  error: z
    .object({ status: z.int(), code: z.string(), message: z.string().nullable() })
    .partial()
    .optional()
    .describe(
      'The error that the provider returned: its status, code and message, as far as it named them. Credentials are masked, and the message is cut after 2 kB. It can quote the prompt: callers who cannot read the texts of the request get null.',
    ),
  charged_usd: z
    .number()
    .nullable()
    .describe(
      'The amount that limits are charged for the attempt, in USD: 0 if the provider cannot bill it, such as after an error status. The attempts add up to `limit_cost`. Null if an older version did not record it.',
    ),
  unconfirmed_usd: z.number().nullable().describe('The part of `charged_usd` that the provider has not reported.'),
  connect: z
    .number()
    .nullable()
    .describe('Milliseconds until the connection was established; 0 for a reused connection, null if it failed.'),
  first_byte: z
    .number()
    .nullable()
    .describe('Milliseconds from the start of the attempt to the first byte of the answer, which can be an error.'),
})

const SkippedEndpoint = z.object({
  endpoint_id: z.string(),
  standing: z
    .enum(['behind', 'left_out'])
    .describe('`behind`: the endpoint had a lower rank. `left_out`: it was excluded.'),
  reason: z
    .string()
    .describe(
      'Why the endpoint had a lower rank: `not_reached` (another one answered), `troubled` (recent failures), `circuit_shut` (the circuit breaker is open), `slow` (slower than the request prefers). Why it was excluded: `unconfigured`, `guardrail`, `not_priceable`, `no_fallbacks`, or the preference or requirement of the request that it does not meet.',
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
  reason: z.string().optional().describe('`context_length_exceeded`, for a prompt that is too long.'),
  guardrail_id: z
    .string()
    .optional()
    .describe(
      'The guardrail that refused the request; absent if no guardrail did, but the limit of an API key or a budget.',
    ),
  rule: z.string().optional(),
  excluded: z
    .array(z.object({ endpoint: z.string(), reason: z.string() }))
    .optional()
    .describe('Skipped endpoints, with the reasons.'),
})

/** The requester, the request and its route. */
const routingFields = {
  request_id: z.string(),
  workspace_id: z.string(),
  user_id: z.string(),
  key_hash: z.string(),
  requested_model: z.string().describe('The requested model.'),
  candidate_models: z
    .array(z.string())
    .describe('The candidate models before guardrails were applied, first choice first.'),
  upstream_model: z.string().nullable(),
  endpoint_id: z.string().nullable(),
  protocol: z.string().describe('The protocol of the client.'),
  is_byok: z.boolean().describe('Whether the workspace’s own provider key was used.'),
  outcome: z.enum(['success', 'failed', 'refused', 'client_left']).describe('`refused`: no endpoint was called.'),
  attempts: z.array(Attempt).describe('The attempted endpoints, in this order.'),
  not_asked: z
    .array(SkippedEndpoint)
    .describe('Endpoints of the candidate models that were not tried, at most 30; empty if no endpoint was chosen.'),
  ordered_by: z
    .enum(['draw', 'order', 'price', 'throughput', 'latency'])
    .nullable()
    .describe(
      'How the endpoints were ordered: `draw` (weighted random, cheaper first), `order` (the list of the request), or the sort key of the request or model variant. Null with fewer than two endpoints.',
    ),
  content_findings: z
    .array(Finding)
    .describe('Matches of content filters in requests that were sent, without the text.'),
  tool_calls: z.int(),
  native_finish_reason: z.string().nullable(),
  tokens_cached: z.int(),
  tokens_cache_written: z.int(),
  tokens_cache_written_1h: z.int(),
  tokens_reasoning: z.int(),
  tokens_audio_prompt: z.int(),
  tokens_audio_completion: z.int(),
  tokens_image_completion: z.int(),
  throughput: z.number().nullable().describe('Tokens per second, measured after the first token.'),
  upstream_inference_cost: z
    .number()
    .describe('The provider’s price in USD, whether the credential is the operator’s or the workspace’s own (BYOK).'),
  charged_prices: z
    .record(z.string(), z.number())
    .nullable()
    .describe(
      'The price of one unit of each kind, in USD, by the names in the `pricing` of an endpoint: tokens of each kind, the request, and other units. The prices of further models that provider tools called are not included. Null without an answer, and for requests of older versions.',
    ),
  pace: z
    .object({ every: z.number().describe('Milliseconds.'), tokens: z.array(z.int()) })
    .nullable()
    .describe(
      'The tokens of a streamed answer in equal intervals after the first token; null if the answer was not streamed.',
    ),
}

export const GenerationAnswer = z
  .looseObject({
    id: z.string(),
    ...routingFields,
    upstream_id: z.string().nullable(),
    created_at: z.iso.datetime(),
    model: z.string(),
    provider_name: z.string().nullable(),
    preset: z.object({ id: z.uuid(), slug: z.string(), version: z.int() }).nullable(),
    region: z.enum(regions).describe('The region through which the request arrived.'),
    streamed: z.boolean(),
    cancelled: z.boolean(),
    finish_reason: z.string().nullable(),
    tokens_prompt: nullableCount,
    tokens_completion: nullableCount,
    native_tokens_cached: nullableCount,
    native_tokens_reasoning: nullableCount,
    tokens_estimated: z
      .boolean()
      .describe('Whether the token counts are estimated, because the provider did not report them.'),
    tokens_capped: z
      .boolean()
      .describe('Whether the provider reported more tokens than the request allows, so that the maximum was used.'),
    total_cost: z.number().describe('In USD. An estimate if the tokens are estimated.'),
    limit_cost: z
      .number()
      .describe('The amount charged to limits, in USD: the cost, or the maximum possible cost if it is unknown.'),
    unconfirmed_usd: z
      .number()
      .describe(
        'The part of `limit_cost` that no provider has reported, in USD. `upstream_inference_cost` and this add up to `limit_cost`.',
      ),
    billed_more_than_bound: z
      .boolean()
      .describe(
        'Whether the provider billed or counted more than the request could use. Limits are then charged the maximum possible cost of the request.',
      ),
    correction: z
      .object({
        source: z
          .enum(['provider', 'released'])
          .describe('`provider`: it reported its bill later. `released`: an admin released the unconfirmed amount.'),
        at: z.iso.datetime(),
        unconfirmed_usd: z.number().describe('The unconfirmed amount before, in USD.'),
        billed_usd: z.number().nullable().describe('The bill in USD, if it was more than the request could cost.'),
      })
      .nullable()
      .describe('The later change of the charge; null if there was none.'),
    billed_pieces: z
      .record(z.string(), z.int())
      .describe('Units that were billed individually, by name: images, and calls of provider tools.'),
    service_tier: z.string().nullable().describe('The service tier, if it was not the default.'),
    unpriced: z
      .array(z.string())
      .describe('Billed or requested units without a price in the catalogue. They are not included in the cost.'),
    latency: z.number().nullable().describe('Milliseconds to the first token.'),
    generation_time: z.number().nullable().describe('Total milliseconds.'),
    session_id: z.string().nullable(),
    tags: z
      .record(z.string(), z.string())
      .describe('The tags of the request, from its `metadata`; only values of at most 128 characters.'),
    app_title: z
      .string()
      .nullable()
      .describe('The name of the client, from its header `X-Title` or `X-OpenRouter-Title`.'),
    http_referer: z
      .string()
      .nullable()
      .describe('The URL of the client, from its header `HTTP-Referer` or `Referer`, without the query.'),
    origin: z.string().describe('The origin of `http_referer`; empty if there is none.'),
    error: Failure.optional().describe(
      'Why the request was refused or failed: the kind of error, and the guardrail and rule that refused it.',
    ),
  })
  .meta({ id: 'Generation', description: 'The metering record of a request.' })

/** Fields of OpenRouter that this service has no value for. Its clients expect every key. */
const absentFields = {
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

/**
 * The record with the fields of this service and those of OpenRouter.
 * @param reader the caller that gets the answer. The messages of providers are removed if the reader cannot read the
 * texts of the request.
 */
export function generationAnswer(record: GenerationRecord, reader: TextReader): z.infer<typeof GenerationAnswer> {
  return {
    ...absentFields,
    ...record,
    attempts: canReadTexts(reader, record) ? record.attempts : record.attempts.map(withoutMessage),
    api_type: findClient(record.protocol)?.apiType ?? 'completions',
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

function withoutMessage(attempt: GenerationRecord['attempts'][number]) {
  return attempt.error?.message === undefined ? attempt : { ...attempt, error: { ...attempt.error, message: null } }
}

function originOf(referer: string | null): string {
  return (referer && URL.parse(referer)?.origin) || ''
}
