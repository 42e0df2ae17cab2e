import { listWorkspaces } from '#identity/accounts/workspaces.ts'
import { PageQuery, pageOf } from '#platform/json/page.ts'
import { route } from '../route.ts'
import { Workspace, workspaceAnswer } from './workspace.ts'

export const listAllWorkspaces = route({
  method: 'get',
  path: '/workspaces',
  tag: 'workspaces',
  key: 'management',
  summary: 'List the workspaces of the organization, oldest first',
  description: 'Lists all of the organization, oldest first.',
  request: { query: PageQuery },
  response: pageOf(Workspace),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const { data, total_count } = await listWorkspaces(deps, caller.organizationId, query)
    return { data: data.map(workspaceAnswer), total_count }
  },
})
