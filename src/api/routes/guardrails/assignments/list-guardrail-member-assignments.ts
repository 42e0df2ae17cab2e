import { PageQuery, pageOf } from '#platform/json/page.ts'
import { MemberAssignment } from '#policy/guardrails/assignments/assignment.ts'
import { listMemberAssignments } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../../route.ts'
import { GuardrailParams, wrongKeyFault } from '../route-fields.ts'

export const listGuardrailMemberAssignments = route({
  method: 'get',
  path: '/guardrails/{id}/assignments/members',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'List the members that a guardrail is assigned to, oldest first',
  description: 'The default guardrail of a workspace applies to all its members without an assignment.',
  request: { params: GuardrailParams, query: PageQuery },
  response: pageOf(MemberAssignment),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: ({ params, query, caller }, deps) => listMemberAssignments(deps, caller, query, params.id),
})
