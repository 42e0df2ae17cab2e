import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Intern } from './store.ts'

/**
 * Colleagues who see an intern start, stop and talk to it; what it is, and that it is, is its creator's to say, as long
 * as they belong to the organization. @throws Fault `forbidden`.
 */
export async function requireOwner(tx: Tx, caller: Caller, { organizationId, creatorUserId }: Intern): Promise<void> {
  if (creatorUserId === caller.userId) return
  const belongs = await tx
    .selectFrom('memberships')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', creatorUserId)
    .where('left_at', 'is', null)
    .select('user_id')
    .executeTakeFirst()
  if (belongs) throw new Fault('forbidden', 'Only its creator may change or delete this intern.')
}
