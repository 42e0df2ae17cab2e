import { findWorkspaceRuleOwner, readRules } from '#interns/rules/change-rules.ts'
import { RulesRecord } from '#interns/rules/rules-body.ts'
import { z } from '#platform/json/schema.ts'
import { RulesQuery } from '../interns/rules/get-rules.ts'
import { route } from '../route.ts'
import { WorkspaceParams } from './workspace.ts'

export const getWorkspaceInternRules = route({
  method: 'get',
  path: '/workspaces/{id}/intern-rules',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'Get the rules for all interns of a workspace',
  description: 'These rules apply in addition to the rules of each intern. If both match, the stricter one decides.',
  request: { params: WorkspaceParams, query: RulesQuery },
  response: z.object({ data: RulesRecord }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, query, caller }, deps) => ({
    data: await readRules(deps, await findWorkspaceRuleOwner(deps, caller, params.id), query.version),
  }),
})
