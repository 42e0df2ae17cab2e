import { changeRules, internOwner } from '#interns/rules/change.ts'
import { RulesBody, RulesRecord } from '#interns/rules/rules-body.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { InternPath } from './path.ts'

export const setInternRules = route({
  method: 'put',
  path: '/interns/{internId}/rules',
  tag: 'interns',
  key: 'api',
  summary: 'Set the rules for what an intern may do',
  description:
    'Replaces all of them by a new version. It holds within a second, also for what is under way. Only its creator may, or, once they have left, whoever sees it.',
  request: { params: InternPath, body: RulesBody },
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
    data: await changeRules(deps, caller, await internOwner(deps, caller, params.internId), body),
  }),
})
