import { z } from '#platform/json/schema.ts'

const Attempt = z.object({
  endpoint_id: z.string(),
  provider_name: z.string(),
  outcome: z
    .string()
    .describe(
      '`answered`, `broke` (the response broke off), `client_left` (the client disconnected), `circuit_open` (skipped, because the circuit breaker is open), or the kind of failure.',
    ),
  duration: z.number().describe('Milliseconds to the end of the response or to the failure.'),
  reason: z.string().optional().describe('Details of the outcome, if there are any.'),
  error: z
    .object({ status: z.int(), code: z.string(), message: z.string().nullable() })
    .partial()
    .optional()
    .describe(
      'The error that the provider returned: its status, code and message, if the provider sent them. Credentials are masked, and a message is cut after 2 kB. `message` is null for callers who are not allowed to read the texts of the request, because it can quote the prompt.',
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
    .describe('Milliseconds from the start of the attempt to the first byte of the response, which can be an error.'),
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

/** The fields of a generation about its requester, the request, its route and its attempts. */
export const routingFields = {
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
      'The price of one unit of each kind, in USD, by the names in the `pricing` of an endpoint: tokens of each kind, the request, and other units. The prices of further models that provider tools called are not included. Null without a response, and for requests of older versions.',
    ),
  pace: z
    .object({ every: z.number().describe('Milliseconds.'), tokens: z.array(z.int()) })
    .nullable()
    .describe(
      'The tokens of a streamed response in equal intervals after the first token; null if the response was not streamed.',
    ),
}
