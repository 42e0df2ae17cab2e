import type { AccessRole } from '#platform/core/vocabulary.ts'
import type { Caller } from '../accounts/caller.ts'
import type { KeyCache } from '../accounts/keys/key-cache.ts'
import { accessOf, reachesAllWorkspaces } from '../accounts/members/role.ts'
import type { SessionRow, SignedIn, Standing, View } from './session.ts'

type Keys = { using: Caller | undefined; managing: Caller | undefined }

/** Whether a session has a pasted API key and acts as that key, in its workspace. */
export const actsAsPastedKey = ({ method, managing_key_hash }: SessionRow) =>
  method === 'key' && managing_key_hash === null

/**
 * Finds the callers of sessions by the current state of their keys. Returns the same objects until something changes,
 * because a request in flight is checked again when its caller is another object.
 */
export function signedInAs(keys: Pick<KeyCache, 'current'>) {
  const made = new WeakMap<SessionRow, Map<string, Keys & { as: SignedIn }>>()
  return async (row: SessionRow, view: View): Promise<SignedIn | undefined> => {
    const { managing_key_hash: managingHash } = row
    const [using, managing] = await Promise.all([
      keys.current(view.keyHash),
      managingHash === null ? undefined : keys.current(managingHash),
    ])
    const views = made.get(row) ?? new Map<string, Keys & { as: SignedIn }>()
    const name = `${view.keyHash} ${view.isNamed}`
    const previous = views.get(name)
    if (previous?.using === using && previous?.managing === managing && previous) return previous.as
    const behind = managingHash === null ? using : managing
    if (!behind || behind.creatorLeft) return undefined
    if (managingHash === null && using?.role === undefined) return undefined
    const as = asMember(row, { using, managing }, view)
    made.set(row, views.set(name, { using, managing, as }))
    return as
  }
}

function asMember(row: SessionRow, keys: Keys, { isNamed }: View): SignedIn {
  const { using, managing } = keys
  const isPasted = row.method === 'key'
  const isManager = managing !== undefined || (!isPasted && reachesAllWorkspaces(using?.organizationRole))
  const standing = (role: AccessRole, isWorkspaceScoped: boolean): Standing => {
    // A pasted API key has its own rights only, not those of its creator.
    const access = isPasted && !managing ? undefined : role
    const caller = managing ? { ...managing, workspaceId: (using ?? managing).workspaceId } : managerOf(using, access)
    return { role, manages: caller && { ...caller, access, isWorkspaceScoped, sessionId: row.id } }
  }
  const organization = standing(roleOf(keys, isPasted, using?.organizationRole), !isManager)
  const workspace = standing(roleOf(keys, isPasted, using?.role), !isManager || isNamed)
  const access = isPasted && !managing ? undefined : workspace.role
  return { row, organization, workspace, uses: using && { ...using, access, sessionId: row.id } }
}

/** The caller for management requests of a member. A developer only manages own objects, with their console key. */
function managerOf(using: Caller | undefined, access: AccessRole | undefined): Caller | undefined {
  if (!using || access === undefined) return undefined
  return access === 'developer' ? using : { ...using, keyKind: 'management' }
}

function roleOf({ managing }: Keys, isPasted: boolean, own: Caller['role']): AccessRole {
  if (managing) return 'owner'
  const role = accessOf(own)
  return isPasted && role !== 'viewer' ? 'developer' : role
}
