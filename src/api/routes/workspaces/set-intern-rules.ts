import { changeRules, findWorkspaceRuleOwner } from '#interns/rules/change-rules.ts'
import { RulesBody, RulesRecord } from '#interns/rules/rules-body.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { WorkspaceParams } from './workspace.ts'

export const setWorkspaceInternRules = route({
  method: 'put',
  path: '/workspaces/{id}/intern-rules',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'Set the rules for all interns of a workspace',
  description: 'Replaces all rules with a new version. Takes effect within a second, also for runs in progress.',
  request: { params: WorkspaceParams, body: RulesBody },
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
    data: await changeRules(deps, caller, await findWorkspaceRuleOwner(deps, caller, params.id), body),
  }),
})
