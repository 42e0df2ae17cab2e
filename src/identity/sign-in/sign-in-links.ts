import { isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import { accountsLock } from '../accounts/accounts-lock.ts'
import type { KeyOwner } from '../accounts/keys/insert-key.ts'
import { isMember } from '../accounts/members/members.ts'
import { type Actor, recordChange } from '../audit/audit.ts'
import { newLinkToken, tokenHash } from './session-tokens.ts'
import { findWorkspaceId, noWorkspaceFault } from './session-workspace.ts'
import { type Browser, type NewSession, type SignInDeps, startSession } from './sign-in.ts'

/** The validity of a link. It can be used once. */
const linkValidityMs = 15 * 60_000

export type NewLink = { token: string; expiresAt: number }

/** Creates a single-use sign-in link. @returns its token, of which only the hash is stored. */
export async function createLink(
  deps: Pick<SignInDeps, 'db' | 'now' | 'newId'>,
  actor: Actor,
  userId: string,
): Promise<NewLink> {
  const { organizationId } = actor
  const at = deps.now()
  const token = newLinkToken()
  const expiresAt = at + linkValidityMs
  await deps.db.exclusively(accountsLock(organizationId), async (tx) => {
    const member = { organization_id: organizationId, user_id: userId }
    await tx
      .insertInto('sign_in_links')
      .values({ token_hash: tokenHash(token), ...member, created_at: at, expires_at: expiresAt })
      .execute()
    const auditedLink = { user_id: userId, expires_at: isoTime(expiresAt) }
    await recordChange(deps, tx, actor, {
      action: 'session.link_made',
      targetKind: 'session',
      targetId: userId,
      before: null,
      after: auditedLink,
    })
  })
  return { token, expiresAt }
}

/** Signs in the member of a link, and invalidates the link. @throws Fault `unauthenticated` for an invalid link. */
export async function signInWithLink(deps: SignInDeps, token: string, browser: Browser): Promise<NewSession> {
  const hash = tokenHash(token)
  const link = await deps.db.query
    .selectFrom('sign_in_links')
    .where('token_hash', '=', hash)
    .select('organization_id')
    .executeTakeFirst()
  if (!link) throw invalidLinkFault()
  return deps.db.exclusively(accountsLock(link.organization_id), async (tx, publish) => {
    const owner = await consumeLink(deps, tx, hash)
    return startSession(deps, tx, publish, { ...owner, method: 'link' }, browser)
  })
}

async function consumeLink({ now }: Pick<SignInDeps, 'now'>, tx: Tx, hash: string): Promise<KeyOwner> {
  const link = await tx.deleteFrom('sign_in_links').where('token_hash', '=', hash).returningAll().executeTakeFirst()
  if (!link || link.expires_at <= now()) throw invalidLinkFault()
  if (!(await isMember(tx, link.organization_id, link.user_id))) throw invalidLinkFault()
  return requireSessionOwner(tx, link.organization_id, link.user_id)
}

/** Returns a member and their oldest workspace. @throws Fault `forbidden` for a member without a workspace. */
export async function requireSessionOwner(tx: Tx, organizationId: string, userId: string): Promise<KeyOwner> {
  const workspaceId = await findWorkspaceId(tx, { organizationId, userId })
  if (workspaceId === undefined) throw await noWorkspaceFault(tx, organizationId)
  return { organizationId, userId, workspaceId }
}

const invalidLinkFault = () =>
  new Fault(
    'unauthenticated',
    'This link cannot sign in: it was used already, is older than 15 minutes, or is invalid. To create another one: npx signalbox sessions link',
  )
