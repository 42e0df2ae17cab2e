import { z } from '#platform/json/schema.ts'
import { MemberTargets } from '#policy/guardrails/assignments/assignment.ts'
import { unassign } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../../route.ts'
import { GuardrailParams, wrongKeyFault } from '../route-fields.ts'

export const unassignMembers = route({
  method: 'post',
  path: '/guardrails/{id}/assignments/members/remove',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'Remove a guardrail from members',
  description: 'Members that the guardrail is not assigned to are ignored. Returns the number of removed assignments.',
  request: { params: GuardrailParams, body: MemberTargets },
  response: z.object({ unassigned_count: z.int() }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    unassigned_count: await unassign(deps, caller, params.id, 'member', body.member_user_ids),
  }),
})
