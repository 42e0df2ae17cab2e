import { accountsLock } from '#identity/accounts/accounts-lock.ts'
import { insertKey } from '#identity/accounts/keys/insert-key.ts'
import { deleteKeyRow, keyExists } from '#identity/accounts/keys/key-rows.ts'
import { newSecret } from '#identity/accounts/keys/secret.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import type { Intern } from './intern-store.ts'

/** Creates the key of an intern, and revokes its earlier key. @returns the secret, which is not stored. */
export function issueInternKey(deps: { db: Db; now: Now }, intern: Intern): Promise<string> {
  const { organizationId, workspaceId, creatorUserId: userId } = intern
  const secret = newSecret()
  return deps.db.exclusively(accountsLock(organizationId), async (tx, publish) => {
    await revokeInternKey(tx, publish, intern)
    const owner = { organizationId, workspaceId, userId }
    const { hash } = await insertKey(deps, tx, owner, { secret, kind: 'intern', name: `Intern ${intern.name}` })
    await tx.updateTable('interns').set({ key_hash: hash }).where('id', '=', intern.id).execute()
    return secret
  })
}

/** Whether the intern's key still exists, disabled or not. */
export async function hasInternKey(
  deps: { db: Pick<Db, 'query'> },
  { keyHash }: Pick<Intern, 'keyHash'>,
): Promise<boolean> {
  if (keyHash === null) return false
  return keyExists(deps.db.query, keyHash)
}

/** Revokes the key of an intern when the transaction commits. */
export async function revokeInternKey(tx: Tx, publish: Publish, { id, keyHash }: Intern): Promise<void> {
  if (keyHash === null) return
  await tx.updateTable('interns').set({ key_hash: null }).where('id', '=', id).execute()
  await deleteKeyRow(tx, keyHash)
  publish('key.changed', keyHash)
}
