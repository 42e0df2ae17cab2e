import type { AccessRole, WorkspaceRole } from '#platform/core/vocabulary.ts'

/**
 * The role of a member in the organization. `member` is an old role: it has the permissions of a developer, and its keys
 * see the requests of their whole workspace.
 */
export const memberRoles = ['owner', 'admin', 'developer', 'viewer', 'member'] as const
export type MemberRole = (typeof memberRoles)[number]

/**
 * The roles that manage the organization and have access to all its workspaces. An organization always has a member with one
 * of them. Some permissions, such as those for management keys, need an owner.
 */
export const managingRoles: readonly MemberRole[] = ['owner', 'admin']

/**
 * The access of a member with this role. Without a role it is that of a developer, who sees only their own keys; a viewer would
 * see those of others.
 */
export const accessOf = (role: MemberRole | undefined): AccessRole =>
  role === undefined || role === 'member' ? 'developer' : role

/**
 * Whether a caller of a management route has the permissions of an owner. `access` is the role of a signed-in member. It is
 * undefined for a management key, which has all permissions.
 */
export const actsAsOwner = ({ access }: { access?: AccessRole | undefined }) =>
  access === undefined || access === 'owner'

/** Whether a member has access to every workspace of the organization. */
export const reachesAllWorkspaces = (role: MemberRole | undefined) => role !== undefined && managingRoles.includes(role)

/**
 * The role of a member in a workspace. Owners and admins of the organization have the same role everywhere. Other
 * members have the role of their membership in the workspace; undefined without a membership.
 */
export function roleInWorkspace(
  organizationRole: MemberRole | undefined,
  workspaceRole: WorkspaceRole | undefined,
): MemberRole | undefined {
  if (reachesAllWorkspaces(organizationRole)) return organizationRole
  return workspaceRole === 'developer' && organizationRole === 'member' ? 'member' : workspaceRole
}
