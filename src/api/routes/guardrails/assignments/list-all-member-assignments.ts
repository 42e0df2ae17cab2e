import { PageQuery, pageOf } from '#platform/json/page.ts'
import { MemberAssignment } from '#policy/guardrails/assignments/assignment.ts'
import { listMemberAssignments } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../../route.ts'
import { wrongKeyFault } from '../route-fields.ts'

export const listMemberAssignmentsRoute = route({
  method: 'get',
  path: '/guardrails/assignments/members',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'List the assignments of guardrails to members, oldest first',
  description: 'Covers all guardrails of the organization.',
  request: { query: PageQuery },
  response: pageOf(MemberAssignment),
  faults: ['invalid', 'unauthenticated'],
  handler: ({ query, caller }, deps) => listMemberAssignments(deps, caller, query),
})
