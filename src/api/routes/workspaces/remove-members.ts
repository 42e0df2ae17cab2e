import { RemovedWorkspaceMembers } from '#identity/accounts/members/workspace-member.ts'
import { removeWorkspaceMembers } from '#identity/accounts/remove-workspace-members.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { WorkspaceParams } from './workspace.ts'

export const bulkRemoveWorkspaceMembers = route({
  method: 'post',
  path: '/workspaces/{id}/members/remove',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'Remove members from a workspace',
  description:
    'All members are removed or none. Members with enabled keys in the workspace can be removed only if `disable_keys` is true. Members whom a claim of the OpenID Connect issuer added return at their next sign-in.',
  request: { params: WorkspaceParams, body: RemovedWorkspaceMembers },
  response: z.object({ removed_count: z.int() }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    removed_count: await removeWorkspaceMembers(deps, caller, params.id, body),
  }),
})
