import { PageQuery, pageOf } from '#platform/json/page.ts'
import { KeyAssignment } from '#policy/guardrails/assignments/assignment.ts'
import { listKeyAssignments } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../../route.ts'
import { GuardrailParams, wrongKeyFault } from '../route-fields.ts'

export const listGuardrailKeyAssignments = route({
  method: 'get',
  path: '/guardrails/{id}/assignments/keys',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'List the keys that a guardrail is assigned to, oldest first',
  description: 'Each assignment has the name and label of its key.',
  request: { params: GuardrailParams, query: PageQuery },
  response: pageOf(KeyAssignment),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: ({ params, query, caller }, deps) => listKeyAssignments(deps, caller, query, params.id),
})
