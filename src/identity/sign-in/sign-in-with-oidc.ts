import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import { accountsLock } from '../accounts/lock.ts'
import { admitMember } from '../accounts/members/admit-member.ts'
import { firstOwner } from '../accounts/members/first-owner.ts'
import { findMemberByAddress } from '../accounts/members/members.ts'
import { ownerOf } from './links.ts'
import type { OidcPerson } from './oidc-person.ts'
import { type Browser, beginSession, type NewSession, type SignInDeps } from './sign-in.ts'

/**
 * Signs somebody in whom the issuer knows: the member that this account was before, else the one with its address, else a
 * new one. Later sign-ins go by the account, so that an address which somebody else gets opens nothing.
 * @throws Fault `forbidden` with the reason.
 */
export async function signInWithOidc(deps: SignInDeps, person: OidcPerson, browser: Browser): Promise<NewSession> {
  const { organizationId } = await firstOwner(deps)
  return deps.db.exclusively(accountsLock(organizationId), async (tx, announce) => {
    const known = await findIdentity(tx, organizationId, person)
    const userId = known ?? (await findMemberByAddress(tx, organizationId, person.email))?.userId
    const member = await admitMember(deps, tx, announce, { organizationId, userId, ...person })
    if (known === undefined) await bindIdentity(deps, tx, organizationId, person, member.userId)
    const owner = await ownerOf(tx, organizationId, member.userId)
    return beginSession(deps, tx, announce, { ...owner, method: 'oidc' }, browser)
  })
}

async function findIdentity(tx: Tx, organizationId: string, { issuer, subject }: OidcPerson) {
  const found = await tx
    .selectFrom('oidc_identities')
    .where('organization_id', '=', organizationId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .select('user_id')
    .executeTakeFirst()
  return found?.user_id
}

async function bindIdentity(
  { now }: Pick<SignInDeps, 'now'>,
  tx: Tx,
  organizationId: string,
  { issuer, subject }: OidcPerson,
  userId: string,
): Promise<void> {
  const identity = { organization_id: organizationId, issuer, user_id: userId }
  const other = await tx
    .selectFrom('oidc_identities')
    .where('organization_id', '=', organizationId)
    .where('issuer', '=', issuer)
    .where('user_id', '=', userId)
    .select('subject')
    .executeTakeFirst()
  if (other) {
    throw new Fault('forbidden', 'The member with this address signs in with another account of the issuer.')
  }
  await tx
    .insertInto('oidc_identities')
    .values({ ...identity, subject, created_at: now() })
    .execute()
}
