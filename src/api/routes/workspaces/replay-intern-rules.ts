import { findWorkspaceRuleOwner } from '#interns/rules/change-rules.ts'
import { RulesReplay, RulesReplayRequest } from '#interns/rules/replay-response.ts'
import { replayRules } from '#interns/rules/replay-rules.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { WorkspaceParams } from './workspace.ts'

export const replayWorkspaceInternRules = route({
  method: 'post',
  path: '/workspaces/{id}/intern-rules/replay',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  isRead: true,
  summary: 'Replay rules against past questions of all interns of a workspace',
  description:
    'Applies the rules, as stored or as given in `rules`, to the permission questions of a time range of at most 92 days. Lists the questions that members decided differently. Nothing is stored.',
  request: { params: WorkspaceParams, body: RulesReplayRequest },
  response: z.object({ data: RulesReplay }),
  faults: [
    'invalid',
    'unauthenticated',
    'forbidden',
    'not_found',
    'payload_too_large',
    'unsupported_media_type',
    'client_closed_request',
  ],
  bodyLimit: 1024 * 1024,
  handler: async ({ params, body, caller, signal }, deps) => ({
    data: await replayRules(deps, await findWorkspaceRuleOwner(deps, caller, params.id), body, signal),
  }),
})
