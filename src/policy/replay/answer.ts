import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { GuardrailPatch } from '../guardrails/patch.ts'

const instant = z.iso.datetime({ offset: true })

export const ReplayRequest = strictFields({
  from: instant.optional().describe('Seven days before `to` unless told.'),
  to: instant.optional().describe('Now unless told. Requests of this instant are left out.'),
  policy: GuardrailPatch.optional().describe('What to change of the guardrail for the replay; it is not stored.'),
  list: z
    .int()
    .min(0)
    .max(1000)
    .default(0)
    .describe('How many of the requests it would have touched are told one by one, the newest.'),
}).meta({ id: 'ReplayRequest' })
export type ReplayRequest = z.infer<typeof ReplayRequest>

const requests = z.int()
const outcome = z.enum(['refuse', 'reroute', 'redact'])
const usd = z.number().describe('What the requests did cost.')

const TouchedRequest = z
  .object({
    id: z.string(),
    created_at: z.iso.datetime(),
    model: z.string().describe('That answered; of a request that nobody answered, the first that could have.'),
    usd: z.number().describe('What it did cost.'),
    effects: z.array(z.object({ outcome, rule: z.string() })).describe('A refusal stands alone.'),
  })
  .meta({ id: 'TouchedRequest' })
export type TouchedRequest = z.infer<typeof TouchedRequest>

export const Replay = z
  .object({
    guardrail_id: z.uuid(),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    requests: requests.describe('Metered in that time, of those the guardrail governs today.'),
    usd,
    would_refuse: requests,
    would_reroute: requests.describe('Answered by an endpoint that would be forbidden, while another was allowed.'),
    would_redact: requests,
    by_rule: z
      .array(z.object({ rule: z.string(), outcome, requests, usd }))
      .describe('Each request under the first rule that it breaks. The most requests first.'),
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
    touched: requests.describe('Refused, rerouted or redacted: each request once.'),
    touched_requests: z.array(TouchedRequest).describe('The newest of them first, at most `list`.'),
    undecidable: z
      .array(z.object({ rule: z.string(), requests, why: z.string() }))
      .describe('What cannot be told from what is kept, and of how many requests.'),
    notes: z.array(z.string()).describe('What the figures rest on.'),
  })
  .meta({ id: 'Replay', description: 'What a policy would have done to requests of the past.' })
export type Replay = z.infer<typeof Replay>
