import { z } from '#platform/json/schema.ts'
import { createGuardrail } from '#policy/guardrails/change-guardrail.ts'
import { Guardrail } from '#policy/guardrails/guardrail.ts'
import { NewGuardrail } from '#policy/guardrails/guardrail-patch.ts'
import { route } from '../route.ts'
import { wrongKeyFault } from './route-fields.ts'

export const createGuardrailRoute = route({
  method: 'post',
  path: '/guardrails',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'Create a guardrail, to be assigned to keys or members',
  description:
    'Missing fields do not limit anything. The guardrail applies to keys and members that it is assigned to.',
  request: { body: NewGuardrail },
  response: z.object({ data: Guardrail }),
  status: 201,
  faults: ['invalid', 'unauthenticated', 'conflict', 'payload_too_large', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => ({ data: await createGuardrail(deps, caller, body) }),
})
