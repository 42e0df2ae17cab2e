import type { Caller } from '#identity/accounts/caller.ts'
import { findMember } from '#identity/accounts/members/members.ts'
import { findWorkspaceMember } from '#identity/accounts/members/workspace-membership.ts'
import { getOrganization } from '#identity/accounts/organizations.ts'
import { roleInWorkspace } from '#identity/accounts/role.ts'
import type { Query } from '#platform/db/db.ts'

type CallerIds = Pick<Caller, 'organizationId' | 'workspaceId' | 'userId'>

/** The caller for a member who acts without a key. Undefined for former members, and for viewers and non-members of the workspace. */
export async function memberCaller(
  { db }: { db: { query: Query } },
  { organizationId, workspaceId, userId }: CallerIds,
  keyName: string,
): Promise<Caller | undefined> {
  const member = await findMember(db.query, organizationId, userId)
  const membership = await findWorkspaceMember(db.query, organizationId, workspaceId, userId)
  const role = member && roleInWorkspace(member.role, membership?.access)
  if (role === undefined || role === 'viewer') return undefined
  const organization = await getOrganization({ db }, organizationId)
  return {
    // The member acts without a key.
    keyHash: '',
    keyKind: 'api',
    keyName,
    userId,
    organizationId,
    workspaceId,
    isWorkspaceScoped: true,
    role,
    organizationRole: member?.role,
    creatorLeft: false,
    internsGrant: false,
    spendLimit: null,
    internsProgramme: organization.interns_programme,
  }
}
