import { WorkspacePatch } from '#identity/accounts/workspace.ts'
import { changeWorkspace } from '#identity/accounts/workspaces.ts'
import { z } from '#platform/json/schema.ts'
import { workspaceEntity } from '../entities.ts'
import { route } from '../route.ts'
import { toWorkspaceResponse, Workspace, WorkspaceParams } from './workspace.ts'

export const updateWorkspace = route({
  method: 'patch',
  path: '/workspaces/{id}',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'Update a workspace',
  description: 'Missing fields stay unchanged.',
  request: { params: WorkspaceParams, body: WorkspacePatch },
  response: z.object({ data: Workspace }),
  etag: workspaceEntity,
  ifMatch: workspaceEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    data: toWorkspaceResponse(await changeWorkspace(deps, caller, params.id, body)),
  }),
})
