import type { AccessRole } from '#platform/core/vocabulary.ts'
import type { Caller } from '../accounts/caller.ts'
import type { KeyCache } from '../accounts/keys/key-cache.ts'
import { accessOf, reachesAllWorkspaces } from '../accounts/role.ts'
import type { ResolvedSession, ScopedRole, SessionRow, SessionView } from './session.ts'

/** The callers of the keys of a session: of the key for models and interns, and of a pasted management key. */
type SessionKeys = { using: Caller | undefined; managing: Caller | undefined }

/** Whether a session has a pasted API key and acts as that key, in its workspace. */
export const actsAsPastedKey = ({ method, managing_key_hash }: SessionRow) =>
  method === 'key' && managing_key_hash === null

/**
 * Finds the callers of sessions by the current state of their keys. Returns the same object until a key changes,
 * because requests in flight are checked again when their caller is another object.
 */
export function createSessionResolver(keys: Pick<KeyCache, 'current'>) {
  const cache = new WeakMap<SessionRow, Map<string, SessionKeys & { session: ResolvedSession }>>()
  return async (row: SessionRow, view: SessionView): Promise<ResolvedSession | undefined> => {
    const { managing_key_hash: managingHash } = row
    const [using, managing] = await Promise.all([
      keys.current(view.keyHash),
      managingHash === null ? undefined : keys.current(managingHash),
    ])
    const views = cache.get(row) ?? new Map<string, SessionKeys & { session: ResolvedSession }>()
    const name = `${view.keyHash} ${view.isRequested}`
    const previous = views.get(name)
    if (previous && previous.using === using && previous.managing === managing) return previous.session
    const signedInCaller = managingHash === null ? using : managing
    if (!signedInCaller || signedInCaller.creatorLeft) return undefined
    if (managingHash === null && using?.role === undefined) return undefined
    const session = toResolvedSession(row, { using, managing }, view)
    cache.set(row, views.set(name, { using, managing, session }))
    return session
  }
}

function toResolvedSession(row: SessionRow, keys: SessionKeys, { isRequested }: SessionView): ResolvedSession {
  const { using, managing } = keys
  const isPasted = row.method === 'key'
  const isManager = managing !== undefined || (!isPasted && reachesAllWorkspaces(using?.organizationRole))
  const toScopedRole = (role: AccessRole, isWorkspaceScoped: boolean): ScopedRole => {
    // A pasted API key does not get the permissions of its creator.
    const access = isPasted && !managing ? undefined : role
    const caller = managing
      ? { ...managing, workspaceId: (using ?? managing).workspaceId }
      : managementCallerOf(using, access)
    return { role, managementCaller: caller && { ...caller, access, isWorkspaceScoped, sessionId: row.id } }
  }
  const organization = toScopedRole(sessionRole(keys, isPasted, using?.organizationRole), !isManager)
  const workspace = toScopedRole(sessionRole(keys, isPasted, using?.role), !isManager || isRequested)
  const access = isPasted && !managing ? undefined : workspace.role
  return { row, organization, workspace, usageCaller: using && { ...using, access, sessionId: row.id } }
}

/** Returns the caller of a member's management requests. A developer uses their console key, for own objects only. */
function managementCallerOf(using: Caller | undefined, access: AccessRole | undefined): Caller | undefined {
  if (!using || access === undefined) return undefined
  return access === 'developer' ? using : { ...using, keyKind: 'management' }
}

function sessionRole({ managing }: SessionKeys, isPasted: boolean, keyRole: Caller['role']): AccessRole {
  if (managing) return 'owner'
  const role = accessOf(keyRole)
  return isPasted && role !== 'viewer' ? 'developer' : role
}
