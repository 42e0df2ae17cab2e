import { z } from '#platform/json/schema.ts'
import { deleteGuardrail } from '#policy/guardrails/change.ts'
import { guardrailEntity } from '../entities.ts'
import { route } from '../route.ts'
import { GuardrailPath } from './path.ts'

export const deleteOneGuardrail = route({
  method: 'delete',
  path: '/guardrails/{id}',
  tag: 'guardrails',
  key: 'management',
  wrongKey: 'unauthenticated',
  summary: 'Delete a guardrail and its assignments',
  description:
    'Afterwards, only the default guardrail of their workspace applies to its keys and members. A workspace default cannot be deleted.',
  request: { params: GuardrailPath },
  response: z.object({ deleted: z.literal(true) }),
  ifMatch: guardrailEntity,
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await deleteGuardrail(deps, caller, params.id)
    return { deleted: true as const }
  },
})
