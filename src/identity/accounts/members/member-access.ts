import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Caller } from '../caller.ts'
import { actsAsOwner, type MemberRole } from '../role.ts'
import { hasOtherManager } from './members.ts'

/**
 * Only owners can create and change owners. Otherwise an admin could make themselves an owner.
 * @throws Fault `forbidden`.
 */
export function requireOwnerForOwners(caller: Caller, ...roles: (MemberRole | undefined)[]): void {
  if (!roles.includes('owner') || actsAsOwner(caller)) return
  throw new Fault('forbidden', 'Only an owner can add, change or remove an owner.')
}

/** @throws Fault `conflict` if the member is the last owner or admin. */
export async function requireOtherAdmin(tx: Tx, organizationId: string, userId: string): Promise<void> {
  if (!(await hasOtherManager(tx, organizationId, userId)))
    throw new Fault('conflict', 'This is the last admin of the organization. Make another member an admin first.')
}
