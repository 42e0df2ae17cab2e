import { PageQuery, pageOf } from '#platform/json/page.ts'
import { KeyAssignment } from '#policy/guardrails/assignments/assignment.ts'
import { listKeyAssignments } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../../route.ts'
import { wrongKeyFault } from '../route-fields.ts'

export const listKeyAssignmentsRoute = route({
  method: 'get',
  path: '/guardrails/assignments/keys',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'List the assignments of guardrails to keys, oldest first',
  description: 'Covers all guardrails of the organization.',
  request: { query: PageQuery },
  response: pageOf(KeyAssignment),
  faults: ['invalid', 'unauthenticated'],
  handler: ({ query, caller }, deps) => listKeyAssignments(deps, caller, query),
})
