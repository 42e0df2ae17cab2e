import { z } from '#platform/json/schema.ts'
import { Guardrail } from '#policy/guardrails/guardrail.ts'
import { getGuardrail } from '#policy/guardrails/read-guardrails.ts'
import { guardrailEntity } from '../entities.ts'
import { route } from '../route.ts'
import { GuardrailParams, wrongKeyFault } from './route-fields.ts'

export const getGuardrailRoute = route({
  method: 'get',
  path: '/guardrails/{id}',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'Get a guardrail',
  description: 'The default guardrail of a workspace does not exist before its first update.',
  request: { params: GuardrailParams },
  response: z.object({ data: Guardrail }),
  etag: guardrailEntity,
  faults: ['unauthenticated', 'not_found'],
  handler: async ({ params, caller }, deps) => ({ data: await getGuardrail(deps, caller, params.id) }),
})
