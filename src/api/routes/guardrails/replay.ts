import { z } from '#platform/json/schema.ts'
import { Replay, ReplayRequest } from '#policy/replay/answer.ts'
import { replay } from '#policy/replay/replay.ts'
import { route } from '../route.ts'
import { GuardrailPath } from './path.ts'

export const replayGuardrail = route({
  method: 'post',
  path: '/guardrails/{id}/replay',
  tag: 'guardrails',
  key: 'management',
  isRead: true,
  wrongKey: 'unauthenticated',
  summary: 'Tell what a guardrail would have refused or redacted',
  description:
    'Judges the metered requests of a time, at most 92 days, by the guardrail as it is or as `policy` would change it. Nothing is stored.',
  request: { params: GuardrailPath, body: ReplayRequest },
  response: z.object({ data: Replay }),
  faults: [
    'invalid',
    'unauthenticated',
    'not_found',
    'payload_too_large',
    'unsupported_media_type',
    'client_closed_request',
  ],
  handler: async ({ params, body, caller, signal }, deps) => ({
    data: await replay(deps, caller, params.id, body, signal),
  }),
})
