import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { recordChange } from '../../audit/audit.ts'
import { accountsLock } from '../lock.ts'
import { firstOwner } from '../members/first-owner.ts'
import { disableKey } from './disable-key.ts'
import { insertKey } from './insert-key.ts'
import { enabledManagementKeys } from './key-rows.ts'
import { newSecret } from './secret.ts'

type ResetManagementDeps = { db: Db; now: Now; newId: NewId }

/**
 * Creates a management key that acts for the first admin, for an operator who has access to the store but no key.
 * @param options.disableOthers whether all other management keys stop working with it.
 * @returns its secret, and how many other enabled management keys there were.
 * @throws Fault `not_found` when the store is empty.
 */
export async function resetManagementKey(
  deps: ResetManagementDeps,
  { disableOthers }: { disableOthers: boolean },
): Promise<{ secret: string; others: number }> {
  const owner = await firstOwner(deps)
  const actor = { ...owner, keyHash: null }
  return deps.db.exclusively(accountsLock(owner.organizationId), async (tx, announce) => {
    const others = await enabledManagementKeys(tx, owner.organizationId)
    if (disableOthers) for (const row of others) await disableKey(deps, tx, announce, actor, row)
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
    announce('key.changed', key.hash)
    return { secret, others: others.length }
  })
}
