import type { Route } from '../route.ts'
import { bulkAddWorkspaceMembers } from './add-members.ts'
import { createWorkspaceRoute } from './create.ts'
import { deleteWorkspaceRoute } from './delete.ts'
import { deleteWorkspaceContents } from './delete-contents.ts'
import { getWorkspaceRoute } from './get.ts'
import { getWorkspaceInternRules } from './get-intern-rules.ts'
import { listWorkspacesRoute } from './list.ts'
import { listWorkspaceMembersRoute } from './list-members.ts'
import { bulkRemoveWorkspaceMembers } from './remove-members.ts'
import { replayWorkspaceInternRules } from './replay-intern-rules.ts'
import { setWorkspaceInternRules } from './set-intern-rules.ts'
import { updateWorkspace } from './update.ts'

export const workspaceRoutes = {
  listWorkspaces: listWorkspacesRoute,
  createWorkspace: createWorkspaceRoute,
  getWorkspace: getWorkspaceRoute,
  updateWorkspace,
  deleteWorkspace: deleteWorkspaceRoute,
  listWorkspaceMembers: listWorkspaceMembersRoute,
  bulkAddWorkspaceMembers,
  bulkRemoveWorkspaceMembers,
  getWorkspaceInternRules,
  setWorkspaceInternRules,
  replayWorkspaceInternRules,
  deleteWorkspaceContents,
} satisfies Record<string, Route>
