import { z } from 'zod'
import { GuardrailPatch } from '#guardrails/patch.ts'
import { strictFields } from '#lib/strict-fields.ts'

const instant = z.iso.datetime({ offset: true })

export const ReplayRequest = strictFields({
  from: instant.optional().describe('Seven days before `to` unless told.'),
  to: instant.optional().describe('Now unless told. Requests of this instant are left out.'),
  policy: GuardrailPatch.optional().describe('What to change of the guardrail for the replay; it is not stored.'),
}).meta({ id: 'ReplayRequest' })
export type ReplayRequest = z.infer<typeof ReplayRequest>

const requests = z.int()
const usd = z.number().describe('What the requests did cost.')

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
      .array(z.object({ rule: z.string(), outcome: z.enum(['refuse', 'reroute', 'redact']), requests, usd }))
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
    undecidable: z
      .array(z.object({ rule: z.string(), requests, why: z.string() }))
      .describe('What cannot be told from what is kept, and of how many requests.'),
    notes: z.array(z.string()).describe('What the figures rest on.'),
  })
  .meta({ id: 'Replay', description: 'What a policy would have done to requests of the past.' })
export type Replay = z.infer<typeof Replay>
