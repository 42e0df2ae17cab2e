import { hasAllWorkspaces, isManagerRole } from '../api/session.ts'
import type { Key, Member, Session, WorkspaceMember } from '../api/types.ts'

/** The part of the session that permissions depend on. The service enforces them; the console hides buttons. */
type CurrentSession = Pick<Session, 'role' | 'organization_role'> & { member: Pick<Session['member'], 'id'> }

/** Whether the session can change everything in the workspace that the page shows. */
export const canManageWorkspace = (session: CurrentSession | undefined): session is CurrentSession =>
  isManagerRole(session?.role)

/** Whether the session can change the organization: its members, workspaces and budgets. */
export const canManageOrganization = (session: CurrentSession | undefined): session is CurrentSession =>
  session !== undefined && hasAllWorkspaces(session)

/** Whether the session can list the members and budgets of the organization. Developers cannot. */
export const canReadOrganization = <S extends CurrentSession>(session: S | undefined): session is S =>
  session !== undefined && session.organization_role !== 'developer'

/** Whether the session can create keys. Viewers cannot. */
export const canCreateKeys = (session: CurrentSession | undefined) => session !== undefined && session.role !== 'viewer'

/** The editable fields of a key: all, some (name and disabled), or none. */
export function editableKeyFields(
  session: CurrentSession | undefined,
  key: Pick<Key, 'kind' | 'disabled' | 'creator_user_id'>,
): 'all' | 'some' | 'nothing' {
  if (!session) return 'nothing'
  if (key.kind === 'management') return session.role === 'owner' ? 'all' : 'nothing'
  if (isManagerRole(session.role)) return 'all'
  const isOwn = key.creator_user_id === session.member.id
  return session.role === 'developer' && key.kind === 'api' && isOwn && !key.disabled ? 'some' : 'nothing'
}

/** Whether the role of a member can be changed. Nobody can change their own. */
export function canChangeMember(session: CurrentSession | undefined, member: Pick<Member, 'id' | 'access'>): boolean {
  if (!canManageOrganization(session) || member.id === session.member.id) return false
  return session.organization_role === 'owner' || member.access !== 'owner'
}

/** Whether the role of a member in the shown workspace can be changed. That of owners and admins is the same everywhere. */
export function canChangeWorkspaceMember(
  session: CurrentSession | undefined,
  member: Pick<WorkspaceMember, 'user_id' | 'organization_access'>,
): boolean {
  const hasFixedRole = isManagerRole(member.organization_access)
  return canManageWorkspace(session) && !hasFixedRole && member.user_id !== session.member.id
}

/** The roles that a member can have in a workspace. */
export const workspaceRoles = ['admin', 'developer', 'viewer'] as const

/** The roles in the organization that the session can assign, highest first. */
export const assignableRoles = (session: CurrentSession | undefined): Member['access'][] =>
  (['owner', 'admin', 'developer', 'member', 'viewer'] as const).filter(
    (access) => access !== 'owner' || session?.organization_role === 'owner',
  )
