import { z } from '#platform/json/schema.ts'
import { changeGuardrail } from '#policy/guardrails/change.ts'
import { Guardrail } from '#policy/guardrails/guardrail.ts'
import { GuardrailPatch } from '#policy/guardrails/patch.ts'
import { route } from '../route.ts'
import { GuardrailPath } from './path.ts'

export const updateGuardrail = route({
  method: 'patch',
  path: '/guardrails/{id}',
  tag: 'guardrails',
  key: 'management',
  wrongKey: 'unauthenticated',
  undeclaredBody: 'invalid',
  summary: "Change a guardrail, or make a workspace's default by changing it for the first time",
  description:
    'A field that is left out stays as it is, one that is named is replaced whole, and null takes it away. It holds for the next request on this server at once, on others within a second.',
  request: { params: GuardrailPath, body: GuardrailPatch },
  response: z.object({ data: Guardrail }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'payload_too_large'],
  handler: async ({ params, body, caller }, deps) => ({ data: await changeGuardrail(deps, caller, params.id, body) }),
})
