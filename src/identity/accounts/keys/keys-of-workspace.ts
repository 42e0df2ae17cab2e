import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { recordChange } from '../../audit/audit.ts'
import type { Caller } from '../caller.ts'
import { toKeyRecord } from './key.ts'
import { deleteKeyRowsOfWorkspace } from './key-rows.ts'

/** Deletes the keys of a workspace and writes their audit records. The caller must check that none is enabled. */
export async function deleteKeysOfWorkspace(
  deps: { now: Now; newId: NewId },
  tx: Tx,
  publish: Publish,
  caller: Caller,
  workspaceId: string,
): Promise<void> {
  const rows = await deleteKeyRowsOfWorkspace(tx, workspaceId)
  for (const row of rows) {
    await recordChange(deps, tx, caller, {
      action: 'key.deleted',
      targetKind: 'key',
      targetId: row.hash,
      before: toKeyRecord(row),
      after: null,
    })
    publish('key.changed', row.hash)
  }
}
