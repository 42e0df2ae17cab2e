import { z } from '#platform/json/schema.ts'
import { KeyTargets } from '#policy/guardrails/assignments/assignment.ts'
import { assign } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../../route.ts'
import { GuardrailParams, wrongKeyFault } from '../route-fields.ts'

export const assignKeys = route({
  method: 'post',
  path: '/guardrails/{id}/assignments/keys',
  tag: 'guardrails',
  key: 'management',
  wrongKeyFault,
  summary: 'Assign a guardrail to keys, replacing their previous one',
  description:
    'All keys are assigned or none: a key that is unknown or belongs to another workspace fails the whole request.',
  request: { params: GuardrailParams, body: KeyTargets },
  response: z.object({ assigned_count: z.int() }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    assigned_count: await assign(deps, caller, params.id, 'key', body.key_hashes),
  }),
})
