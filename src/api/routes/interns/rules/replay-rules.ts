import { findInternRuleOwner } from '#interns/rules/change-rules.ts'
import { RulesReplay, RulesReplayRequest } from '#interns/rules/replay-response.ts'
import { replayRules } from '#interns/rules/replay-rules.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'

export const replayInternRules = route({
  method: 'post',
  path: '/interns/{internId}/rules/replay',
  tag: 'interns',
  key: 'api',
  isRead: true,
  summary: 'Replay rules against past questions of an intern',
  description:
    'Applies the rules, as stored or as given in `rules`, to the permission questions of a time range of at most 92 days. Lists the questions that members decided differently. Nothing is stored.',
  request: { params: InternParams, body: RulesReplayRequest },
  response: z.object({ data: RulesReplay }),
  faults: [
    'invalid',
    'unauthenticated',
    'not_found',
    'payload_too_large',
    'unsupported_media_type',
    'client_closed_request',
  ],
  bodyLimit: 1024 * 1024,
  handler: async ({ params, body, caller, signal }, deps) => ({
    data: await replayRules(deps, await findInternRuleOwner(deps, caller, params.internId), body, signal),
  }),
})
