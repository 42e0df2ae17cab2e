import { Fault } from '#platform/core/fault.ts'
import { findFirstOwnerOrAdmin } from '../accounts/members/first-owner-or-admin.ts'
import { isMember, resolveUserId } from '../accounts/members/members.ts'
import type { SignInDeps } from './sign-in.ts'
import { createLink, type NewLink } from './sign-in-links.ts'

/**
 * Creates a sign-in link directly in the database, for the first start and for commands of the operator.
 * @param email the member to sign in; defaults to the first owner, or without one the first admin.
 * @throws Fault `not_found` if the member does not exist.
 */
export async function createLinkFromDatabase(
  deps: Pick<SignInDeps, 'db' | 'now' | 'newId'>,
  email?: string,
): Promise<NewLink> {
  const owner = await findFirstOwnerOrAdmin(deps)
  const { organizationId } = owner
  const userId = email === undefined ? owner.userId : await resolveUserId(deps.db.query, organizationId, email)
  if (userId === undefined || !(await isMember(deps.db.query, organizationId, userId))) {
    throw new Fault('not_found', `Member "${email}" not found.`)
  }
  return createLink(deps, { ...owner, keyHash: null }, userId)
}
