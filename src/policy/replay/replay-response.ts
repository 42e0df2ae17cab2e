import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { GuardrailPatch } from '../guardrails/guardrail-patch.ts'

const instant = z.iso.datetime({ offset: true })

export const ReplayRequest = strictFields({
  from: instant.optional().describe('Defaults to 7 days before `to`.'),
  to: instant.optional().describe('Exclusive. Defaults to now.'),
  policy: GuardrailPatch.optional().describe('Changes to the guardrail for the replay. They are not stored.'),
  list: z.int().min(0).max(1000).default(0).describe('Maximum number of affected requests in the list, newest first.'),
}).meta({ id: 'ReplayRequest' })
export type ReplayRequest = z.infer<typeof ReplayRequest>

const requests = z.int()
const outcome = z.enum(['refuse', 'reroute', 'redact'])
const usd = z.number().describe('The actual cost of the requests.')

const TouchedRequest = z
  .object({
    id: z.string(),
    created_at: z.iso.datetime(),
    model: z.string().describe('The endpoint that answered, or without a response the first candidate.'),
    usd: z.number().describe('The actual cost.'),
    effects: z.array(z.object({ outcome, rule: z.string() })).describe('A refusal has no other content.'),
  })
  .meta({ id: 'TouchedRequest' })
export type TouchedRequest = z.infer<typeof TouchedRequest>

export const Replay = z
  .object({
    guardrail_id: z.uuid(),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    requests: requests.describe('Requests in the time range from keys and members that the guardrail applies to now.'),
    usd,
    would_refuse: requests,
    would_reroute: requests.describe(
      'The endpoint that answered would be forbidden, and another one would be allowed.',
    ),
    would_redact: requests,
    by_rule: z
      .array(z.object({ rule: z.string(), outcome, requests, usd }))
      .describe('Counts each request under the first rule that it breaks. Sorted by number of requests.'),
    by_model: z.array(
      z.object({
        model: z.string(),
        requests,
        usd,
        would_refuse: requests,
        would_reroute: requests,
        would_redact: requests,
      }),
    ),
    touched: requests.describe('Refused, rerouted or redacted requests. Each request counts once.'),
    touched_requests: z.array(TouchedRequest).describe('Sorted newest first, at most `list`.'),
    undecidable: z
      .array(z.object({ rule: z.string(), requests, why: z.string() }))
      .describe('What cannot be decided from the stored data, with the number of requests.'),
    notes: z.array(z.string()).describe('Notes on the figures.'),
  })
  .meta({ id: 'Replay', description: 'The result of a guardrail replay.' })
export type Replay = z.infer<typeof Replay>
