import { z } from '#platform/json/schema.ts'
import { deleteContentsOfWorkspace } from '#spend/contents/delete-contents.ts'
import { route } from '../route.ts'
import { WorkspaceParams } from './workspace.ts'

export const deleteWorkspaceContents = route({
  method: 'delete',
  path: '/workspaces/{id}/contents',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'Delete all stored prompts and responses of a workspace',
  description:
    'The contents can no longer be read. Requests in flight are not stored either. Metering data and the setting stay, so later requests are stored.',
  request: { params: WorkspaceParams },
  response: z.object({ deleted: z.literal(true), deleted_count: z.int() }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => ({
    deleted: true,
    deleted_count: await deleteContentsOfWorkspace(deps, caller, params.id),
  }),
})
