import { Fault } from '#platform/core/fault.ts'
import type { Caller } from '../caller.ts'
import { actsAsOwner, type MemberRole, reachesAllWorkspaces } from '../role.ts'
import type { KeyPatch, KeyRecord, NewKey } from './key.ts'

/** The permissions of signed-in members for keys. A request with a management key has all permissions. */
type Member = Pick<Caller, 'access' | 'userId' | 'workspaceId' | 'organizationRole'>

/** The member for whom a new key acts, with the role in the organization. */
type KeyMember = { userId: string; role: MemberRole }

/** Returns the id of the only member whose keys a caller sees; undefined if the caller sees all keys. */
export const visibleCreatorId = ({ access, userId }: Pick<Caller, 'access' | 'userId'>): string | undefined =>
  access === 'developer' ? userId : undefined

/** The same error for a missing key and for a key that the caller cannot see. */
export const keyNotFound = () => new Fault('not_found', 'Key not found.')

/** @throws Fault `not_found` if the caller cannot see the key. */
export function requireVisible(caller: Member, key: KeyRecord): void {
  const creatorId = visibleCreatorId(caller)
  if (creatorId !== undefined && key.creator_user_id !== creatorId) {
    throw keyNotFound()
  }
}

/** @throws Fault `forbidden` if the caller cannot create the key. Developers can only create their own API keys. */
export function requireCanCreate(caller: Member, newKey: NewKey, member: KeyMember, workspaceId: string): void {
  if (newKey.kind === 'management') requireOwner(caller)
  if (caller.access === 'developer') {
    if (member.userId !== caller.userId)
      throw new Fault('forbidden', 'A developer cannot create keys for other members.')
    if (workspaceId !== caller.workspaceId)
      throw new Fault('forbidden', 'A developer can only create keys in their own workspace.')
  }
  requireCanActFor(caller, member)
}

/** A key has access to what only its member sees, such as private interns. So it must not act for a higher role. */
function requireCanActFor(caller: Member, { userId, role }: KeyMember): void {
  if (userId === caller.userId || actsAsOwner(caller)) return
  if (role === 'owner') throw new Fault('forbidden', 'Only an owner can create keys that act for an owner.')
  if (role === 'admin' && !reachesAllWorkspaces(caller.organizationRole))
    throw new Fault('forbidden', 'Only an owner or admin of the organization can create keys that act for an admin.')
}

/**
 * Checks a change of a key. Developers can rename and disable their keys, but cannot undo a restriction.
 * @param patch undefined to delete the key.
 * @throws Fault `forbidden` or `not_found`.
 */
export function requireCanChange(caller: Member, key: KeyRecord, patch?: KeyPatch): void {
  requireVisible(caller, key)
  if (key.kind === 'management') requireOwner(caller)
  if (caller.access !== 'developer') return
  const { name: _, disabled, ...otherFields } = patch ?? {}
  const changesOtherFields = Object.values(otherFields).some((value) => value !== undefined)
  if (key.disabled || disabled === false || changesOtherFields || key.kind !== 'api') {
    throw new Fault('forbidden', 'A developer can only rename, disable and delete their own enabled keys.')
  }
}

function requireOwner(caller: Member): void {
  if (actsAsOwner(caller)) return
  throw new Fault(
    'forbidden',
    'Only an owner can create, change or delete management keys, because they have the permissions of an owner.',
  )
}
