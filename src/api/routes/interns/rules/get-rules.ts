import { findInternRuleOwner, readRules } from '#interns/rules/change-rules.ts'
import { RulesRecord } from '#interns/rules/rules-body.ts'
import { z } from '#platform/json/schema.ts'
import { wholeNumber } from '#platform/json/whole-number.ts'
import { route } from '../../route.ts'
import { InternParams } from '../params.ts'

/** The version to read. */
export const RulesQuery = z.object({
  version: wholeNumber({ min: 1, max: 1_000_000_000 })
    .optional()
    .describe('An earlier version. Defaults to the current one.'),
})

export const getInternRules = route({
  method: 'get',
  path: '/interns/{internId}/rules',
  tag: 'interns',
  key: 'api',
  summary: 'Get the rules for an intern',
  description:
    'Returns the rules of the intern. The rules of its workspace also apply; if both match, the stricter one decides.',
  request: { params: InternParams, query: RulesQuery },
  response: z.object({ data: RulesRecord }),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ params, query, caller }, deps) => ({
    data: await readRules(deps, await findInternRuleOwner(deps, caller, params.internId), query.version),
  }),
})
