import { createReachabilityLookup } from '#gateway/request/reachability.ts'
import { z } from '#platform/json/schema.ts'
import { replay } from '#policy/replay/replay.ts'
import { Replay, ReplayRequest } from '#policy/replay/replay-response.ts'
import { route } from '../route.ts'
import { GuardrailParams, wrongKeyFault } from './route-fields.ts'

export const replayGuardrail = route({
  method: 'post',
  path: '/guardrails/{id}/replay',
  tag: 'guardrails',
  key: 'management',
  isRead: true,
  wrongKeyFault,
  summary: 'Replay a guardrail against past requests',
  description:
    'Applies the guardrail, as stored or with the changes of `policy`, to the metered requests of a time range of at most 92 days. Nothing is stored.',
  request: { params: GuardrailParams, body: ReplayRequest },
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
    data: await replay(
      { ...deps, reachability: createReachabilityLookup(deps.gateway, caller) },
      caller,
      params.id,
      body,
      signal,
    ),
  }),
})
