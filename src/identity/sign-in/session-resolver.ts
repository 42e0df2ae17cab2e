import type { AccessRole } from '#platform/core/vocabulary.ts'
import type { Caller } from '../accounts/caller.ts'
import type { KeyCache } from '../accounts/keys/key-cache.ts'
import { accessOf, reachesAllWorkspaces } from '../accounts/role.ts'
import type { ResolvedSession, ScopedRole, SessionRow, SessionView } from './session.ts'

/** The callers that a session acts as: with its key for models and interns, and with a pasted management key. */
type SessionKeys = { usageKeyCaller: Caller | undefined; managementKeyCaller: Caller | undefined }

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
    const [usageKeyCaller, managementKeyCaller] = await Promise.all([
      keys.current(view.keyHash),
      managingHash === null ? undefined : keys.current(managingHash),
    ])
    const views = cache.get(row) ?? new Map<string, SessionKeys & { session: ResolvedSession }>()
    const viewName = `${view.keyHash} ${view.isRequested}`
    const previous = views.get(viewName)
    if (previous && previous.usageKeyCaller === usageKeyCaller && previous.managementKeyCaller === managementKeyCaller)
      return previous.session
    const signedInCaller = managingHash === null ? usageKeyCaller : managementKeyCaller
    if (!signedInCaller || signedInCaller.creatorLeft) return undefined
    if (managingHash === null && usageKeyCaller?.role === undefined) return undefined
    const { workspaceId } = usageKeyCaller ?? signedInCaller
    const session = { workspaceId, ...resolveCallers(row, { usageKeyCaller, managementKeyCaller }, view) }
    cache.set(row, views.set(viewName, { usageKeyCaller, managementKeyCaller, session }))
    return session
  }
}

function resolveCallers(
  row: SessionRow,
  keys: SessionKeys,
  { isRequested }: SessionView,
): Omit<ResolvedSession, 'workspaceId'> {
  const { usageKeyCaller, managementKeyCaller } = keys
  const isPasted = row.method === 'key'
  const isManager =
    managementKeyCaller !== undefined || (!isPasted && reachesAllWorkspaces(usageKeyCaller?.organizationRole))
  const toScopedRole = (role: AccessRole, isWorkspaceScoped: boolean): ScopedRole => {
    // A pasted API key does not get the permissions of its creator.
    const access = isPasted && !managementKeyCaller ? undefined : role
    const caller = managementKeyCaller
      ? { ...managementKeyCaller, workspaceId: (usageKeyCaller ?? managementKeyCaller).workspaceId }
      : managementCallerOf(usageKeyCaller, access)
    return { role, managementCaller: caller && { ...caller, access, isWorkspaceScoped, sessionId: row.id } }
  }
  const organization = toScopedRole(sessionRole(keys, isPasted, usageKeyCaller?.organizationRole), !isManager)
  const workspace = toScopedRole(sessionRole(keys, isPasted, usageKeyCaller?.role), !isManager || isRequested)
  const access = isPasted && !managementKeyCaller ? undefined : workspace.role
  return {
    row,
    organization,
    workspace,
    usageCaller: usageKeyCaller && { ...usageKeyCaller, access, sessionId: row.id },
  }
}

/** Returns the caller of a member's management requests. A developer uses their console key, for own objects only. */
function managementCallerOf(usageKeyCaller: Caller | undefined, access: AccessRole | undefined): Caller | undefined {
  if (!usageKeyCaller || access === undefined) return undefined
  return access === 'developer' ? usageKeyCaller : { ...usageKeyCaller, keyKind: 'management' }
}

function sessionRole({ managementKeyCaller }: SessionKeys, isPasted: boolean, keyRole: Caller['role']): AccessRole {
  if (managementKeyCaller) return 'owner'
  const role = accessOf(keyRole)
  return isPasted && role !== 'viewer' ? 'developer' : role
}
