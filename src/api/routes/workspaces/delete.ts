import { deleteWorkspace } from '#identity/accounts/workspaces.ts'
import { z } from '#platform/json/schema.ts'
import { workspaceEntity } from '../entities.ts'
import { route } from '../route.ts'
import { WorkspaceParams } from './workspace.ts'

export const deleteWorkspaceRoute = route({
  method: 'delete',
  path: '/workspaces/{id}',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  scope: 'organization',
  summary: 'Delete a workspace, its guardrails and its presets',
  description: 'Fails while the workspace has enabled keys or interns. Its budgets and disabled keys are also deleted.',
  request: { params: WorkspaceParams },
  response: z.object({ deleted: z.literal(true) }),
  ifMatch: workspaceEntity,
  faults: ['unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await deleteWorkspace(deps, caller, params.id)
    return { deleted: true as const }
  },
})
