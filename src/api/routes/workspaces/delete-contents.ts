import { z } from '#platform/json/schema.ts'
import { deleteContentsOf } from '#spend/contents/store.ts'
import { route } from '../route.ts'
import { WorkspaceParams } from './workspace.ts'

export const deleteWorkspaceContents = route({
  method: 'delete',
  path: '/workspaces/{id}/contents',
  tag: 'workspaces',
  key: 'management',
  summary: 'Delete all that is kept of what a workspace asked and was answered',
  description:
    'Nobody can read it from then on. Requests that are under way leave nothing, either. What was metered stays, and so does the setting: later requests are kept.',
  request: { params: WorkspaceParams },
  response: z.object({ deleted: z.literal(true), deleted_count: z.int() }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => ({
    deleted: true,
    deleted_count: await deleteContentsOf(deps, caller, params.id),
  }),
})
