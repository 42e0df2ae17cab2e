import type { Tx } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import { Fault } from '#lib/fault.ts'
import type { KeyRecord } from './key.ts'

/**
 * Refuses to take away the last key an organization can be managed with.
 * @throws Fault `conflict` when `key` is it.
 */
export async function keepOneManagementKey(
  deps: { now: Now },
  tx: Tx,
  key: KeyRecord,
  organizationId: string,
): Promise<void> {
  if (key.kind !== 'management') return
  const other = await tx
    .selectFrom('api_keys')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'management')
    .where('disabled', '=', 0)
    .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', deps.now())]))
    .where('hash', '!=', key.hash)
    .select('hash')
    .executeTakeFirst()
  if (other) return
  throw new Fault(
    'conflict',
    'This is the last management key that works: without it nobody could manage the organization. Create another one first.',
  )
}
