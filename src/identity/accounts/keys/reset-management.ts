import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { recordChange } from '../../audit/audit.ts'
import { accountsLock } from '../accounts-lock.ts'
import { findFirstOwnerOrAdmin } from '../members/first-owner-or-admin.ts'
import { disableKey } from './disable-key.ts'
import { insertKey } from './insert-key.ts'
import { findEnabledManagementKeys } from './key-rows.ts'
import { newSecret } from './secret.ts'

type ResetManagementDeps = { db: Db; now: Now; newId: NewId }

/**
 * Creates a management key that acts for the first owner or admin, for an operator who has access to the database but no key.
 * @param options.disableOthers whether to disable all other management keys.
 * @returns its secret, and the number of other enabled management keys.
 * @throws Fault `not_found` if the database is empty.
 */
export async function resetManagementKey(
  deps: ResetManagementDeps,
  { disableOthers }: { disableOthers: boolean },
): Promise<{ secret: string; otherKeyCount: number }> {
  const owner = await findFirstOwnerOrAdmin(deps)
  const actor = { ...owner, keyHash: null }
  return deps.db.exclusively(accountsLock(owner.organizationId), async (tx, publish) => {
    const others = await findEnabledManagementKeys(tx, owner.organizationId)
    if (disableOthers) for (const row of others) await disableKey(deps, tx, publish, actor, row)
    const secret = newSecret()
    const key = await insertKey(deps, tx, owner, {
      kind: 'management',
      name: 'Management key from the terminal',
      secret,
    })
    await recordChange(deps, tx, actor, {
      action: 'key.created',
      targetKind: 'key',
      targetId: key.hash,
      before: null,
      after: key,
    })
    publish('key.changed', key.hash)
    return { secret, otherKeyCount: others.length }
  })
}
