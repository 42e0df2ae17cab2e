import { WorkspaceMember } from '#identity/accounts/members/workspace-member.ts'
import { listWorkspaceMembers } from '#identity/accounts/members/workspace-members.ts'
import { PageQuery, pageOf, SearchText } from '#platform/json/page.ts'
import { route } from '../route.ts'
import { WorkspaceParams } from './workspace.ts'

export const listWorkspaceMembersRoute = route({
  method: 'get',
  path: '/workspaces/{id}/members',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'List the members of a workspace, in the order of joining',
  description: 'Owners and admins of the organization have access to every workspace and are listed only if added.',
  request: {
    params: WorkspaceParams,
    query: PageQuery.extend({ q: SearchText.describe('Words that must all occur in the name or address.') }),
  },
  response: pageOf(WorkspaceMember),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: ({ params, query, caller }, deps) => listWorkspaceMembers(deps, caller, params.id, query),
})
