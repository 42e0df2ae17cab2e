import { PageQuery, pageOf } from '#platform/json/page.ts'
import { MemberAssignment } from '#policy/guardrails/assignments/assignment.ts'
import { listMemberAssignments } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../../route.ts'
import { wrongKey } from '../route-fields.ts'

export const listAllMemberAssignments = route({
  method: 'get',
  path: '/guardrails/assignments/members',
  tag: 'guardrails',
  key: 'management',
  wrongKey,
  summary: 'List the assignments of guardrails to members, oldest first',
  description: 'Covers all guardrails of the organization, oldest first.',
  request: { query: PageQuery },
  response: pageOf(MemberAssignment),
  faults: ['invalid', 'unauthenticated'],
  handler: ({ query, caller }, deps) => listMemberAssignments(deps, caller, query),
})
