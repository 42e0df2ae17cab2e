import type { Caller } from '#accounts/caller.ts'
import type { Tx } from '#db/db.ts'
import { Fault } from '#lib/fault.ts'
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
