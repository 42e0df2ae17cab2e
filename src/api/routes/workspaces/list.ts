import { listWorkspaces } from '#identity/accounts/workspaces.ts'
import { accessRoles } from '#platform/core/vocabulary.ts'
import { PageQuery, pageOf } from '#platform/json/page.ts'
import { route } from '../route.ts'
import { toWorkspaceResponse, Workspace } from './workspace.ts'

export const listWorkspacesRoute = route({
  method: 'get',
  path: '/workspaces',
  tag: 'workspaces',
  key: 'management',
  scope: 'organization',
  roles: accessRoles,
  summary: 'List the workspaces of the organization, oldest first',
  description: 'A management key, an owner and an admin get all workspaces, other members those that they belong to.',
  request: { query: PageQuery },
  response: pageOf(Workspace),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const { data, total_count } = await listWorkspaces(deps, caller, query)
    return { data: data.map(toWorkspaceResponse), total_count }
  },
})
