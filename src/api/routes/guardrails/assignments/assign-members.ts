import { z } from '#platform/json/schema.ts'
import { MemberTargets } from '#policy/guardrails/assignments/assignment.ts'
import { assign } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../../route.ts'
import { GuardrailParams, wrongKeyFault } from '../route-fields.ts'

export const assignMembers = route({
  method: 'post',
  path: '/guardrails/{id}/assignments/members',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'Assign a guardrail to members, replacing their previous one in the workspace',
  description: 'All members are assigned or none: an unknown member fails the whole request.',
  request: { params: GuardrailParams, body: MemberTargets },
  response: z.object({ assigned_count: z.int() }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    assigned_count: await assign(deps, caller, params.id, 'member', body.member_user_ids),
  }),
})
