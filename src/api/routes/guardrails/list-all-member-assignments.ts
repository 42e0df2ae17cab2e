import { PageQuery, pageOf } from '#platform/core/page.ts'
import { MemberAssignment } from '#policy/guardrails/assignments/assignment.ts'
import { listMemberAssignments } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../route.ts'

export const listAllMemberAssignments = route({
  method: 'get',
  path: '/guardrails/assignments/members',
  tag: 'guardrails',
  key: 'management',
  wrongKey: 'unauthenticated',
  summary: 'Which guardrails govern which members, oldest assignment first',
  description: 'Over all guardrails of the organization, oldest first.',
  request: { query: PageQuery },
  response: pageOf(MemberAssignment),
  faults: ['invalid', 'unauthenticated'],
  handler: ({ query, caller }, deps) => listMemberAssignments(deps, caller, query),
})
