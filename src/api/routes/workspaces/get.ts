import { getWorkspace } from '#identity/accounts/workspaces.ts'
import { z } from '#platform/json/schema.ts'
import { workspaceEntity } from '../entities.ts'
import { route } from '../route.ts'
import { toWorkspaceResponse, Workspace, WorkspaceParams } from './workspace.ts'

export const getWorkspaceRoute = route({
  method: 'get',
  path: '/workspaces/{id}',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'Get a workspace',
  description: 'Includes whether prompts and responses of its requests are stored.',
  request: { params: WorkspaceParams },
  response: z.object({ data: Workspace }),
  etag: workspaceEntity,
  faults: ['unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => ({
    data: toWorkspaceResponse(await getWorkspace(deps, caller, params.id)),
  }),
})
