import { recordChange } from '#audit/audit.ts'
import type { Tx } from '#db/db.ts'
import type { Announce } from '#db/signals.ts'
import type { Now } from '#lib/clock.ts'
import type { NewId } from '#lib/id.ts'
import type { Caller } from './caller.ts'
import { keyRecord } from './key.ts'
import { deleteKeyRowsOfWorkspace } from './key-rows.ts'

/** Deletes the keys of a workspace, each with its record. That none of them works any more is for others to say. */
export async function deleteKeysOf(
  deps: { now: Now; newId: NewId },
  tx: Tx,
  announce: Announce,
  caller: Caller,
  workspaceId: string,
): Promise<void> {
  const rows = await deleteKeyRowsOfWorkspace(tx, workspaceId)
  for (const row of rows) {
    await recordChange(deps, tx, caller, {
      action: 'key.deleted',
      targetKind: 'key',
      targetId: row.hash,
      before: keyRecord(row),
      after: null,
    })
    announce('key.changed', row.hash)
  }
}
