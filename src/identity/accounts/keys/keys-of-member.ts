import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import type { Caller } from '../caller.ts'
import { disableKey } from './disable-key.ts'
import { toKeyRecord } from './key.ts'
import { findEnabledKeysOfMember } from './key-rows.ts'
import { requireOtherManagementKey } from './last-management-key.ts'

/**
 * Disables the keys of a member, except those of interns, which continue to work for the organization.
 * @returns the number of disabled keys.
 * @throws Fault `conflict` if nobody could manage the organization afterwards.
 */
export async function disableKeysOfMember(
  deps: { now: Now; newId: NewId },
  tx: Tx,
  publish: Publish,
  caller: Caller,
  userId: string,
): Promise<number> {
  const rows = await findEnabledKeysOfMember(tx, caller.organizationId, userId)
  for (const row of rows) {
    await requireOtherManagementKey(deps, tx, toKeyRecord(row), caller.organizationId)
    await disableKey(deps, tx, publish, caller, row)
  }
  return rows.length
}
