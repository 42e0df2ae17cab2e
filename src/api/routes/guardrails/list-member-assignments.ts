import { MemberAssignment } from '#guardrails/assignment.ts'
import { listMemberAssignments } from '#guardrails/assignments.ts'
import { PageQuery, pageOf } from '#lib/page.ts'
import { route } from '../../route.ts'
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
