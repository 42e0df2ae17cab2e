import type { Key, Member, Session } from '../api/types.ts'

/** What the buttons offer to whom. The service decides; this only keeps from offering what it would refuse. */
type Who = Pick<Session, 'role'> & { member: Pick<Session['member'], 'id'> }

const manages = ({ role }: Who) => role === 'owner' || role === 'admin'

/** Makes and changes everything of the organization. */
export const mayManage = (who: Who | undefined): who is Who => who !== undefined && manages(who)

/** Viewers make no keys. */
export const mayMakeKeys = (who: Who | undefined) => who !== undefined && who.role !== 'viewer'

/** Which part of a key may be changed: all, the name and whether it is disabled, or nothing. */
export function mayChangeKey(
  who: Who | undefined,
  key: Pick<Key, 'kind' | 'disabled' | 'creator_user_id'>,
): 'all' | 'some' | 'nothing' {
  if (!who) return 'nothing'
  if (key.kind === 'management') return who.role === 'owner' ? 'all' : 'nothing'
  if (manages(who)) return 'all'
  const isOwn = key.creator_user_id === who.member.id
  return who.role === 'developer' && key.kind === 'api' && isOwn && !key.disabled ? 'some' : 'nothing'
}

/** Whether the access of a member may be changed. Nobody locks themselves out by a slip. */
export function mayChangeMember(who: Who | undefined, member: Pick<Member, 'id' | 'access'>): boolean {
  if (!mayManage(who) || member.id === who.member.id) return false
  return who.role === 'owner' || member.access !== 'owner'
}

/** What a member may be made, the most first. */
export const accessGivenBy = (who: Who | undefined): Member['access'][] =>
  (['owner', 'admin', 'developer', 'member', 'viewer'] as const).filter(
    (access) => access !== 'owner' || who?.role === 'owner',
  )
