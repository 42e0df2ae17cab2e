import { AddedWorkspaceMembers, WorkspaceMember } from '#identity/accounts/members/workspace-member.ts'
import { addWorkspaceMembers } from '#identity/accounts/members/workspace-members.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { WorkspaceParams } from './workspace.ts'

export const bulkAddWorkspaceMembers = route({
  method: 'post',
  path: '/workspaces/{id}/members/add',
  workspaceParam: 'id',
  tag: 'workspaces',
  key: 'management',
  summary: 'Add members to a workspace, or change their role in it',
  description: 'All members are added or none: a user who is not a member of the organization fails the whole request.',
  request: { params: WorkspaceParams, body: AddedWorkspaceMembers },
  response: z.object({ added_count: z.int(), data: z.array(WorkspaceMember) }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => {
    const data = await addWorkspaceMembers(deps, caller, params.id, body)
    return { added_count: data.length, data }
  },
})
