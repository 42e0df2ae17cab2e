import { isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import type { KeyOwner } from '../accounts/keys/insert-key.ts'
import { accountsLock } from '../accounts/lock.ts'
import { isMember } from '../accounts/members/members.ts'
import { type Actor, recordChange } from '../audit/audit.ts'
import { withoutWorkspace, workspaceOf } from './session-workspace.ts'
import { type Browser, beginSession, type NewSession, type SignInDeps } from './sign-in.ts'
import { newLinkToken, tokenHash } from './token.ts'

/** The validity of a link. It can be used once. */
export const linkMs = 15 * 60_000

export type NewLink = { token: string; expiresAt: number }

/** Creates a single-use sign-in link. @returns its token, of which only the hash is stored. */
export async function makeLink(
  deps: Pick<SignInDeps, 'db' | 'now' | 'newId'>,
  actor: Actor,
  userId: string,
): Promise<NewLink> {
  const { organizationId } = actor
  const at = deps.now()
  const [token, expiresAt] = [newLinkToken(), at + linkMs]
  await deps.db.exclusively(accountsLock(organizationId), async (tx) => {
    const owned = { organization_id: organizationId, user_id: userId }
    await tx
      .insertInto('sign_in_links')
      .values({ token_hash: tokenHash(token), ...owned, created_at: at, expires_at: expiresAt })
      .execute()
    const after = { user_id: userId, expires_at: isoTime(expiresAt) }
    await recordChange(deps, tx, actor, {
      ...{ action: 'session.link_made', targetKind: 'session', targetId: userId, before: null, after },
    })
  })
  return { token, expiresAt }
}

/** Signs in the member of a link, and invalidates the link. @throws Fault `unauthenticated` for an invalid link. */
export async function signInWithLink(deps: SignInDeps, token: string, browser: Browser): Promise<NewSession> {
  const hash = tokenHash(token)
  const found = await deps.db.query
    .selectFrom('sign_in_links')
    .where('token_hash', '=', hash)
    .select('organization_id')
    .executeTakeFirst()
  if (!found) throw notGood()
  return deps.db.exclusively(accountsLock(found.organization_id), async (tx, announce) => {
    const owner = await useUp(deps, tx, hash)
    return beginSession(deps, tx, announce, { ...owner, method: 'link' }, browser)
  })
}

async function useUp({ now }: Pick<SignInDeps, 'now'>, tx: Tx, hash: string): Promise<KeyOwner> {
  const link = await tx.deleteFrom('sign_in_links').where('token_hash', '=', hash).returningAll().executeTakeFirst()
  if (!link || link.expires_at <= now()) throw notGood()
  return ownerOf(tx, link.organization_id, link.user_id)
}

/** A member, in the oldest workspace that they have access to. @throws Fault `forbidden` if there is none. */
export async function ownerOf(tx: Tx, organizationId: string, userId: string): Promise<KeyOwner> {
  if (!(await isMember(tx, organizationId, userId))) throw notGood()
  const workspaceId = await workspaceOf(tx, { organizationId, userId })
  if (workspaceId === undefined) throw await withoutWorkspace(tx, organizationId)
  return { organizationId, userId, workspaceId }
}

const notGood = () =>
  new Fault(
    'unauthenticated',
    'This link cannot sign in: it was used already, is older than 15 minutes, or is invalid. To create another one: npx signalbox sessions link',
  )
