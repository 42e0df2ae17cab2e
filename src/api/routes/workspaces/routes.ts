import type { Route } from '../route.ts'
import { addMembersToWorkspace } from './add-members.ts'
import { createOneWorkspace } from './create.ts'
import { deleteOneWorkspace } from './delete.ts'
import { deleteWorkspaceContents } from './delete-contents.ts'
import { getOneWorkspace } from './get.ts'
import { getWorkspaceInternRules } from './get-intern-rules.ts'
import { listAllWorkspaces } from './list.ts'
import { listMembersOfWorkspace } from './list-members.ts'
import { removeMembersFromWorkspace } from './remove-members.ts'
import { replayWorkspaceInternRules } from './replay-intern-rules.ts'
import { setWorkspaceInternRules } from './set-intern-rules.ts'
import { updateWorkspace } from './update.ts'

export const workspaceRoutes = {
  listWorkspaces: listAllWorkspaces,
  createWorkspace: createOneWorkspace,
  getWorkspace: getOneWorkspace,
  updateWorkspace,
  deleteWorkspace: deleteOneWorkspace,
  listWorkspaceMembers: listMembersOfWorkspace,
  bulkAddWorkspaceMembers: addMembersToWorkspace,
  bulkRemoveWorkspaceMembers: removeMembersFromWorkspace,
  getWorkspaceInternRules,
  setWorkspaceInternRules,
  replayWorkspaceInternRules,
  deleteWorkspaceContents,
} satisfies Record<string, Route>
