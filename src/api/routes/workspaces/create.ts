import { NewWorkspace } from '#identity/accounts/workspace.ts'
import { createWorkspace } from '#identity/accounts/workspaces.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { toWorkspaceResponse, Workspace } from './workspace.ts'

export const createWorkspaceRoute = route({
  method: 'post',
  path: '/workspaces',
  tag: 'workspaces',
  key: 'management',
  scope: 'organization',
  summary: 'Create a workspace',
  description: 'The workspace gets a default guardrail, which has no rules until it is updated.',
  request: { body: NewWorkspace },
  status: 201,
  response: z.object({ data: Workspace }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => ({ data: toWorkspaceResponse(await createWorkspace(deps, caller, body)) }),
})
