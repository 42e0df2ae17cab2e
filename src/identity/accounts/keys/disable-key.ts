import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { type Actor, recordChange } from '../../audit/audit.ts'
import { toKeyRecord } from './key.ts'
import { type KeyRow, updateKeyRow } from './key-rows.ts'

/** Disables an enabled key, writes the audit record and notifies all servers. The caller must check the permission. */
export async function disableKey(
  deps: { now: Now; newId: NewId },
  tx: Tx,
  publish: Publish,
  actor: Actor,
  row: KeyRow,
): Promise<void> {
  const changed = { disabled: 1, updated_at: deps.now() }
  await updateKeyRow(tx, row.hash, changed)
  await recordChange(deps, tx, actor, {
    action: 'key.updated',
    targetKind: 'key',
    targetId: row.hash,
    before: toKeyRecord(row),
    after: toKeyRecord({ ...row, ...changed }),
  })
  publish('key.changed', row.hash)
}
