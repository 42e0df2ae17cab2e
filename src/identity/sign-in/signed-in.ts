import type { AccessRole } from '#platform/core/vocabulary.ts'
import type { Caller } from '../accounts/caller.ts'
import type { KeyCache } from '../accounts/keys/key-cache.ts'
import { accessOf } from '../accounts/members/role.ts'
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
  const isPasted = row.method === 'key'
  const role = managing ? 'owner' : roleOf(using, isPasted)
  // A key that was pasted gives what the key may, and no more, whoever made it.
  const access = isPasted && !managing ? undefined : role
  const inSession = (caller: Caller | undefined) => caller && { ...caller, access, sessionId: row.id }
  return { row, role, manages: inSession(managing ?? managerOf(using, access)), uses: inSession(using) }
}

/** As whom a member manages: a developer by their key for models, as what they may manage is their own. */
function managerOf(using: Caller | undefined, access: AccessRole | undefined): Caller | undefined {
  if (!using || access === undefined) return undefined
  return access === 'developer' ? using : { ...using, keyKind: 'management' }
}

function roleOf(using: Caller | undefined, isPasted: boolean): AccessRole {
  const role = accessOf(using?.role)
  return isPasted && role !== 'viewer' ? 'developer' : role
}
