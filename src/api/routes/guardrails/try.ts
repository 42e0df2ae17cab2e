import { z } from '#platform/json/schema.ts'
import { TextTrial, TriedText, tryText } from '#policy/guardrails/decide/try-text.ts'
import { route } from '../route.ts'
import { GuardrailPath } from './path.ts'

export const tryGuardrail = route({
  method: 'post',
  path: '/guardrails/{id}/try',
  tag: 'guardrails',
  key: 'management',
  isRead: true,
  wrongKey: 'unauthenticated',
  summary: 'Tell what the content filters of a guardrail find in a text, and what would be sent of it',
  description:
    'By the guardrail as it is or as `policy` would change it. Neither the text nor what is found in it is stored or logged.',
  request: { params: GuardrailPath, body: TextTrial },
  response: z.object({ data: TriedText }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'payload_too_large', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({ data: await tryText(deps, caller, params.id, body) }),
})
