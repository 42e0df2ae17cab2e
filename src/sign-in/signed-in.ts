import type { Caller } from '#accounts/caller.ts'
import type { KeyCache } from '#accounts/key-cache.ts'
import type { AccessRole } from '#accounts/role.ts'
import type { SessionRow, SignedIn } from './session.ts'

/**
 * Whom sessions stand for, by the keys behind them as they are now. The same callers as long as nothing changes: what is
 * under way is judged anew when its caller is another one.
 */
export function signedInAs(keys: Pick<KeyCache, 'current'>) {
  const made = new WeakMap<SessionRow, { using: Caller | undefined; managing: Caller | undefined; as: SignedIn }>()
  return async (row: SessionRow): Promise<SignedIn | undefined> => {
    const { managing_key_hash: managingHash } = row
    const [using, managing] = await Promise.all([
      keys.current(row.using_key_hash),
      managingHash === null ? undefined : keys.current(managingHash),
    ])
    const known = made.get(row)
    if (known && known.using === using && known.managing === managing) return known.as
    const behind = managingHash === null ? using : managing
    if (!behind || behind.creatorLeft) return undefined
    const as = asMember(row, using, managing)
    made.set(row, { using, managing, as })
    return as
  }
}

function asMember(row: SessionRow, using: Caller | undefined, managing: Caller | undefined): SignedIn {
  const role = roleOf(row, using, managing)
  const inSession = (caller: Caller | undefined) => caller && { ...caller, sessionId: row.id }
  const mayManage = role === 'owner' || role === 'admin'
  const asManager = managing ?? (mayManage && using ? { ...using, keyKind: 'management' as const } : undefined)
  return { row, role, manages: inSession(asManager), uses: inSession(using) }
}

/** A key that was pasted gives what the key may, and no more, whoever made it. */
function roleOf({ method }: SessionRow, using: Caller | undefined, managing: Caller | undefined): AccessRole {
  if (managing) return 'owner'
  return method !== 'key' && using?.role === 'admin' ? 'admin' : 'developer'
}
