import { isoTime } from '#platform/core/clock.ts'
import { type WorkspaceRole, workspaceRoles } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import { type MemberRole, managingRoles, memberRoles } from '../role.ts'

/** The most members that one request can add or remove. */
const maxMembers = 100

const UserIds = z
  .array(text({ min: 1, max: 320 }))
  .min(1)
  .max(maxMembers)
  .describe('IDs or email addresses of members of the organization.')

const Access = z.enum(workspaceRoles)

/** The members to add to a workspace. */
export const AddedWorkspaceMembers = strictFields({
  user_ids: UserIds,
  access: Access.optional().describe(
    'The role in the workspace. Defaults to the role in the organization: `admin` for owners and admins, `viewer` for viewers, otherwise `developer`.',
  ),
}).meta({ id: 'AddedWorkspaceMembers' })
export type AddedWorkspaceMembers = z.output<typeof AddedWorkspaceMembers>

/** The members to remove from a workspace. */
export const RemovedWorkspaceMembers = strictFields({
  user_ids: UserIds,
  disable_keys: z
    .boolean()
    .default(false)
    .describe(
      'Whether to disable their keys in the workspace. Without it, members with enabled keys cannot be removed.',
    ),
}).meta({ id: 'RemovedWorkspaceMembers' })
export type RemovedWorkspaceMembers = z.output<typeof RemovedWorkspaceMembers>

/** A workspace that a new member of the organization joins, with the role there. */
export const JoinedWorkspace = strictFields({
  workspace: text({ min: 1, max: 200 }).describe('ID or slug of the workspace.'),
  access: Access.optional().describe('Defaults to the role in the organization.'),
})

/** A member of a workspace, as the API and the audit log show it. */
export const WorkspaceMember = z
  .object({
    id: z.string().describe('The ID of the membership.'),
    workspace_id: z.string(),
    user_id: z.string(),
    name: z.string(),
    email: z.string(),
    role: z.enum(['admin', 'member']).describe('A simplified form of `access`.'),
    access: Access.describe('The role in the workspace.'),
    organization_access: z
      .enum(memberRoles)
      .describe('The role in the organization. Owners and admins have that role in every workspace.'),
    source: z
      .enum(['manual', 'oidc'])
      .describe('`oidc` if a claim of the OpenID Connect issuer added the member, and will remove them.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'WorkspaceMember', description: 'A member of a workspace.' })
export type WorkspaceMember = z.infer<typeof WorkspaceMember>

type WorkspaceMemberRow = {
  id: string
  workspace_id: string
  user_id: string
  role: string
  source: string
  created_at: number
  name: string
  email: string
  organization_role: string
}

export function toWorkspaceMember(row: WorkspaceMemberRow): WorkspaceMember {
  const access = row.role as WorkspaceRole
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    user_id: row.user_id,
    name: row.name,
    email: row.email,
    role: access === 'admin' ? 'admin' : 'member',
    access,
    organization_access: row.organization_role as MemberRole,
    source: row.source as WorkspaceMember['source'],
    created_at: isoTime(row.created_at),
  }
}

/** The role in a workspace that corresponds to a role in the organization. */
export function workspaceRoleOf(role: MemberRole): WorkspaceRole {
  if (managingRoles.includes(role)) return 'admin'
  return role === 'viewer' ? 'viewer' : 'developer'
}
