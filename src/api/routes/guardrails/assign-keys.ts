import { z } from '#platform/json/schema.ts'
import { KeyTargets } from '#policy/guardrails/assignments/assignment.ts'
import { assign } from '#policy/guardrails/assignments/assignments.ts'
import { route } from '../route.ts'
import { GuardrailPath } from './path.ts'

export const assignKeys = route({
  method: 'post',
  path: '/guardrails/{id}/assignments/keys',
  tag: 'guardrails',
  key: 'management',
  wrongKey: 'unauthenticated',
  summary: 'Put keys under a guardrail; a key has at most one, so it loses the one it had',
  description: 'All are assigned, or none: one key that is unknown or of another workspace refuses the whole request.',
  request: { params: GuardrailPath, body: KeyTargets },
  response: z.object({ assigned_count: z.int() }),
  faults: ['invalid', 'unauthenticated', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    assigned_count: await assign(deps, caller, params.id, 'key', body.key_hashes),
  }),
})
