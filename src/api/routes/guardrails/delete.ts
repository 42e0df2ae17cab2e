import { z } from '#platform/json/schema.ts'
import { deleteGuardrail } from '#policy/guardrails/change-guardrail.ts'
import { guardrailEntity } from '../entities.ts'
import { route } from '../route.ts'
import { GuardrailParams, wrongKeyFault } from './route-fields.ts'

export const deleteGuardrailRoute = route({
  method: 'delete',
  path: '/guardrails/{id}',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'Delete a guardrail and its assignments',
  description:
    'The keys and members that it was assigned to then have only the default guardrail of the workspace. A workspace default cannot be deleted.',
  request: { params: GuardrailParams },
  response: z.object({ deleted: z.literal(true) }),
  ifMatch: guardrailEntity,
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await deleteGuardrail(deps, caller, params.id)
    return { deleted: true as const }
  },
})
