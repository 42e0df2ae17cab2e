import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Intern } from './intern-store.ts'

/**
 * Only its creator can change or delete an intern, as long as the creator belongs to the organization. Other members who see
 * the intern can start, stop and prompt it. @throws Fault `forbidden`.
 */
export async function requireOwner(tx: Tx, caller: Caller, { organizationId, creatorUserId }: Intern): Promise<void> {
  if (creatorUserId === caller.userId) return
  const membership = await tx
    .selectFrom('memberships')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', creatorUserId)
    .where('left_at', 'is', null)
    .select('user_id')
    .executeTakeFirst()
  if (membership) throw new Fault('forbidden', 'Only its creator can change or delete this intern.')
}
