import { z } from '#platform/json/schema.ts'
import { KeyTargets } from '#policy/guardrails/assignments/assignment.ts'
import { unassign } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../../route.ts'
import { GuardrailParams, wrongKeyFault } from '../route-fields.ts'

export const unassignKeys = route({
  method: 'post',
  path: '/guardrails/{id}/assignments/keys/remove',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'Remove a guardrail from keys',
  description: 'Keys that the guardrail is not assigned to are ignored. Returns the number of removed assignments.',
  request: { params: GuardrailParams, body: KeyTargets },
  response: z.object({ unassigned_count: z.int() }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    unassigned_count: await unassign(deps, caller, params.id, 'key', body.key_hashes),
  }),
})
