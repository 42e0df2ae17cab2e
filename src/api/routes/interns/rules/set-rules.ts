import { changeRules, findInternRuleOwner } from '#interns/rules/change-rules.ts'
import { RulesBody, RulesRecord } from '#interns/rules/rules-body.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'

export const setInternRules = route({
  method: 'put',
  path: '/interns/{internId}/rules',
  tag: 'interns',
  key: 'api',
  summary: 'Set the rules for an intern',
  description:
    'Replaces all rules with a new version. Takes effect within a second, also for runs in progress. Only the creator of the intern can do this. After the creator has left, everyone who can see the intern can do it.',
  request: { params: InternParams, body: RulesBody },
  response: z.object({ data: RulesRecord }),
  faults: [
    'invalid',
    'unauthenticated',
    'forbidden',
    'not_found',
    'conflict',
    'payload_too_large',
    'unsupported_media_type',
  ],
  bodyLimit: 1024 * 1024,
  handler: async ({ params, body, caller }, deps) => ({
    data: await changeRules(deps, caller, await findInternRuleOwner(deps, caller, params.internId), body),
  }),
})
