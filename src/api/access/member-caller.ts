import type { Caller } from '#identity/accounts/caller.ts'
import { findMember } from '#identity/accounts/members/members.ts'
import { getOrganization } from '#identity/accounts/organizations.ts'
import type { Query } from '#platform/db/db.ts'

type Acting = Pick<Caller, 'organizationId' | 'workspaceId' | 'userId'>

/** The caller for a member who acts without a key; undefined if they left the organization or are only a viewer. */
export async function memberCaller(
  { db }: { db: { query: Query } },
  { organizationId, workspaceId, userId }: Acting,
  keyName: string,
): Promise<Caller | undefined> {
  const member = await findMember(db, organizationId, userId)
  if (!member || member.role === 'viewer') return undefined
  const organization = await getOrganization({ db }, organizationId)
  return {
    ...{ keyHash: '', keyKind: 'api', keyName, userId, organizationId, workspaceId },
    ...{ creatorLeft: false, internsGrant: false, spendLimit: null },
    internsProgramme: organization.interns_programme,
  }
}
