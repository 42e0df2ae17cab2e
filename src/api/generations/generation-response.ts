import { findClientProtocol } from '#gateway/clients/client-protocols.ts'
import { regions } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { canReadTexts, type TextReader } from '#spend/ledger/list/visibility.ts'
import type { GenerationRecord } from '#spend/ledger/record.ts'
import { absentFields, openRouterFields } from './openrouter-fields.ts'
import { routingFields } from './routing-fields.ts'

const nullableCount = z.int().nullable()

const Failure = z.object({
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
    .array(
      z.object({
        endpoint: z.string(),
        reason: z.string(),
        parameters: z.array(z.string()).optional().describe('What the endpoint does not support.'),
        circuit: z.string().optional().describe('The reason of an open circuit.'),
        until: z.iso.datetime().optional().describe('The time at which an open circuit ends.'),
      }),
    )
    .optional()
    .describe('Skipped endpoints, with the reasons.'),
})

export const GenerationResponse = z
  .object({
    id: z.string(),
    ...routingFields,
    ...openRouterFields,
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

/**
 * The record with the fields of this service and those of OpenRouter.
 * @param reader the caller that gets the response. The messages of providers are removed if the reader cannot read the
 * texts of the request.
 */
export function toGenerationResponse(record: GenerationRecord, reader: TextReader): z.infer<typeof GenerationResponse> {
  return {
    ...absentFields,
    ...record,
    attempts: canReadTexts(reader, record) ? record.attempts : record.attempts.map(withoutMessage),
    api_type: findClientProtocol(record.protocol)?.apiType ?? 'completions',
    data_region: record.region,
    origin: originOf(record.http_referer),
    preset_id: record.preset?.id ?? null,
    native_tokens_prompt: record.tokens_prompt,
    native_tokens_completion: record.tokens_completion,
    native_tokens_cached: record.tokens_cached,
    native_tokens_reasoning: record.tokens_reasoning,
    native_tokens_completion_images: record.tokens_image_completion,
    usage: record.total_cost,
  }
}

function withoutMessage(attempt: GenerationRecord['attempts'][number]) {
  return attempt.error?.message === undefined ? attempt : { ...attempt, error: { ...attempt.error, message: null } }
}

function originOf(referer: string | null): string {
  return (referer && URL.parse(referer)?.origin) || ''
}
