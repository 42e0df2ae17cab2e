import type { Key, Member, Session } from '../api/types.ts'

/** What the buttons offer to whom. The service decides; this only keeps from offering what it would refuse. */
type CurrentSession = Pick<Session, 'role'> & { member: Pick<Session['member'], 'id'> }

const isManager = ({ role }: CurrentSession) => role === 'owner' || role === 'admin'

/** Makes and changes everything of the organization. */
export const canManageOrganization = (session: CurrentSession | undefined): session is CurrentSession =>
  session !== undefined && isManager(session)

/** Viewers make no keys. */
export const canCreateKeys = (session: CurrentSession | undefined) => session !== undefined && session.role !== 'viewer'

/** Which part of a key may be changed: all, the name and whether it is disabled, or nothing. */
export function editableKeyFields(
  session: CurrentSession | undefined,
  key: Pick<Key, 'kind' | 'disabled' | 'creator_user_id'>,
): 'all' | 'some' | 'nothing' {
  if (!session) return 'nothing'
  if (key.kind === 'management') return session.role === 'owner' ? 'all' : 'nothing'
  if (isManager(session)) return 'all'
  const isOwn = key.creator_user_id === session.member.id
  return session.role === 'developer' && key.kind === 'api' && isOwn && !key.disabled ? 'some' : 'nothing'
}

/** Whether the access of a member may be changed. Nobody locks themselves out by a slip. */
export function canChangeMember(session: CurrentSession | undefined, member: Pick<Member, 'id' | 'access'>): boolean {
  if (!canManageOrganization(session) || member.id === session.member.id) return false
  return session.role === 'owner' || member.access !== 'owner'
}

/** What a member may be made, the most first. */
export const assignableRoles = (session: CurrentSession | undefined): Member['access'][] =>
  (['owner', 'admin', 'developer', 'member', 'viewer'] as const).filter(
    (access) => access !== 'owner' || session?.role === 'owner',
  )
