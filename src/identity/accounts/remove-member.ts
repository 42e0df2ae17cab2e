import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { accountsLock } from './accounts-lock.ts'
import type { Caller } from './caller.ts'
import { disableKeysOfMember } from './keys/keys-of-member.ts'
import { requireOtherAdmin, requireOwnerForOwners } from './members/member-access.ts'
import { deleteCredentialsOfMember } from './members/member-credentials.ts'
import { requireMember, updateMembership } from './members/members.ts'
import { recordMembership } from './members/record-membership.ts'
import { deleteMemberFromWorkspaces } from './members/workspace-member-rows.ts'
import { managingRoles } from './role.ts'

/**
 * Ends a membership. The member's keys stay valid, unless they are disabled with it.
 * @returns the number of disabled keys.
 * @throws Fault `not_found`; `conflict` if no admin, or no valid management key, would remain.
 */
export async function removeMember(
  deps: { db: Db; now: Now; newId: NewId },
  caller: Caller,
  userId: string,
  { disableKeys }: { disableKeys: boolean },
): Promise<number> {
  const { organizationId } = caller
  return deps.db.exclusively(accountsLock(organizationId), async (tx, publish) => {
    const member = await requireMember(tx, organizationId, userId)
    requireOwnerForOwners(caller, member.role)
    if (managingRoles.includes(member.role)) await requireOtherAdmin(tx, organizationId, userId)
    const leftAt = deps.now()
    await updateMembership(tx, organizationId, userId).set({ left_at: leftAt }).execute()
    await deleteMemberFromWorkspaces(tx, organizationId, userId)
    await deleteCredentialsOfMember(tx, publish, organizationId, userId)
    await recordMembership(deps, tx, caller, 'member.left', member, { ...member, leftAt })
    publish('organization.changed', organizationId)
    return disableKeys ? disableKeysOfMember(deps, tx, publish, caller, userId) : 0
  })
}
