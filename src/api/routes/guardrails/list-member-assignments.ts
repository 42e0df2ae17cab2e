import { PageQuery, pageOf } from '#platform/core/page.ts'
import { MemberAssignment } from '#policy/guardrails/assignments/assignment.ts'
import { listMemberAssignments } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../route.ts'
import { GuardrailPath } from './path.ts'

export const listGuardrailMemberAssignments = route({
  method: 'get',
  path: '/guardrails/{id}/assignments/members',
  tag: 'guardrails',
  key: 'management',
  wrongKey: 'unauthenticated',
  summary: 'The members that one guardrail governs, oldest assignment first',
  description: 'The members whom this guardrail governs, oldest first.',
  request: { params: GuardrailPath, query: PageQuery },
  response: pageOf(MemberAssignment),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: ({ params, query, caller }, deps) => listMemberAssignments(deps, caller, query, params.id),
})
