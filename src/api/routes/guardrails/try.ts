import { z } from '#platform/json/schema.ts'
import { TextTrial, TriedText, tryText } from '#policy/guardrails/decide/try-text.ts'
import { route } from '../route.ts'
import { GuardrailParams, wrongKeyFault } from './route-fields.ts'

export const tryGuardrail = route({
  method: 'post',
  path: '/guardrails/{id}/try',
  tag: 'guardrails',
  key: 'management',
  isRead: true,
  wrongKeyFault,
  summary: 'Test the content filters of a guardrail on a text',
  description:
    'Uses the guardrail as stored, or with the changes of `policy`. Neither the text nor the matches are stored or logged.',
  request: { params: GuardrailParams, body: TextTrial },
  response: z.object({ data: TriedText }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'payload_too_large', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({ data: await tryText(deps, caller, params.id, body) }),
})
