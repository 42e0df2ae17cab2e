import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { accountsLock } from '../accounts/accounts-lock.ts'
import { type Actor, recordChange } from '../audit/audit.ts'
import { deleteSessionsOfPasskey } from '../sign-in/session-rows.ts'
import { deletePasskeyRow, findPasskey, type PasskeyRow, type PasskeyScope, updatePasskeyRow } from './passkey-rows.ts'

type PasskeyDeps = { db: Db; now: Now; newId: NewId }

/** @throws Fault `not_found` for a passkey that the caller cannot see. */
export function renamePasskey(
  deps: PasskeyDeps,
  caller: Actor,
  scope: PasskeyScope,
  id: string,
  name: string,
): Promise<PasskeyRow> {
  return deps.db.exclusively(accountsLock(caller.organizationId), async (tx) => {
    const previousPasskey = await requirePasskey(tx, scope, id)
    if (previousPasskey.name === name) return previousPasskey
    const renamedPasskey = { ...previousPasskey, name }
    await updatePasskeyRow(tx, id, { name })
    await recordPasskeyChange(deps, tx, caller, {
      action: 'passkey.updated',
      id,
      before: previousPasskey,
      after: renamedPasskey,
    })
    return renamedPasskey
  })
}

/**
 * Deletes a passkey, and ends the sessions that it started.
 * @returns the number of ended sessions.
 * @throws Fault `not_found` for a passkey that the caller cannot see.
 */
export function deletePasskey(deps: PasskeyDeps, caller: Actor, scope: PasskeyScope, id: string): Promise<number> {
  return deps.db.exclusively(accountsLock(caller.organizationId), async (tx, publish) => {
    const passkey = await requirePasskey(tx, scope, id)
    await deletePasskeyRow(tx, id)
    const ended = await deleteSessionsOfPasskey(tx, id)
    await recordPasskeyChange(deps, tx, caller, { action: 'passkey.deleted', id, before: passkey, after: null })
    for (const session of ended) publish('session.changed', session)
    return ended.length
  })
}

async function requirePasskey(tx: Tx, scope: PasskeyScope, id: string): Promise<PasskeyRow> {
  const passkey = await findPasskey(tx, scope, id)
  if (passkey) return passkey
  throw new Fault('not_found', 'Passkey not found.')
}

type PasskeyChange = {
  action: 'passkey.updated' | 'passkey.deleted'
  id: string
  before: PasskeyRow
  after: PasskeyRow | null
}

function recordPasskeyChange(
  deps: PasskeyDeps,
  tx: Tx,
  actor: Actor,
  { action, id, before, after }: PasskeyChange,
): Promise<void> {
  const auditedPasskey = ({ user_id, name, relying_party }: PasskeyRow) => ({ user_id, name, relying_party })
  const states = { before: auditedPasskey(before), after: after && auditedPasskey(after) }
  return recordChange(deps, tx, actor, { action, targetKind: 'passkey', targetId: id, ...states })
}
