import { z } from '#platform/json/schema.ts'
import { changeGuardrail } from '#policy/guardrails/change-guardrail.ts'
import { Guardrail } from '#policy/guardrails/guardrail.ts'
import { GuardrailPatch } from '#policy/guardrails/guardrail-patch.ts'
import { guardrailEntity } from '../entities.ts'
import { route } from '../route.ts'
import { GuardrailParams, wrongKeyFault } from './route-fields.ts'

export const updateGuardrail = route({
  method: 'patch',
  path: '/guardrails/{id}',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  undeclaredBodyFault: 'invalid',
  summary: 'Update a guardrail; the first update of a workspace default creates it',
  description:
    'Missing fields stay unchanged; other fields are replaced completely; null removes a rule. The change takes effect for the next request on this server, and within a second on other servers.',
  request: { params: GuardrailParams, body: GuardrailPatch },
  response: z.object({ data: Guardrail }),
  etag: guardrailEntity,
  ifMatch: guardrailEntity,
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'payload_too_large'],
  handler: async ({ params, body, caller }, deps) => ({ data: await changeGuardrail(deps, caller, params.id, body) }),
})
