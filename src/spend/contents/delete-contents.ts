import type { Caller } from '#identity/accounts/caller.ts'
import { getWorkspace } from '#identity/accounts/workspaces.ts'
import { recordChange } from '#identity/audit/audit.ts'
import { repeat } from '#platform/async/reconcile.ts'
import { dayMs, hourMs, type Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { overwriteDeleted } from '#platform/db/maintenance/overwrite-deleted.ts'
import { contentNotFound, readableContents } from './read-content.ts'

type DeleteDeps = { db: Db; now: Now; newId: NewId }

/** Deletes the content of a request. @throws Fault `not_found` if the caller cannot read it. */
export async function deleteContent(deps: DeleteDeps, caller: Caller, id: string): Promise<void> {
  await deps.db.exclusively(`content ${id}`, async (tx) => {
    const row = await readableContents(tx, caller)
      .where('generation_contents.id', '=', id)
      .select('generation_contents.workspace_id')
      .executeTakeFirst()
    if (!row) throw contentNotFound()
    await tx.deleteFrom('generation_contents').where('id', '=', id).execute()
    await recordChange(deps, tx, caller, {
      action: 'content.deleted',
      targetKind: 'generation',
      targetId: id,
      before: { workspace_id: row.workspace_id },
      after: null,
    })
  })
  await overwriteDeleted(deps.db)
}

/**
 * Deletes the stored and pending contents of a workspace's requests. They become unreadable at once; the rows are deleted
 * in small batches.
 * @returns the number of deleted rows.
 */
export async function deleteContentsOfWorkspace(deps: DeleteDeps, caller: Caller, workspace: string): Promise<number> {
  const { id } = await getWorkspace(deps, caller, workspace)
  await deps.db.exclusively(`contents of ${id}`, async (tx) => {
    await tx
      .updateTable('workspaces')
      // Contents of the current millisecond are deleted too.
      .set({ contents_since: deps.now() + 1 })
      .where('id', '=', id)
      .execute()
    await recordChange(deps, tx, caller, {
      action: 'workspace.contents_deleted',
      targetKind: 'workspace',
      targetId: id,
      before: null,
      after: null,
    })
  })
  const deleted = await deleteInBatches(deps.db, (rows) => rows.where('workspace_id', '=', id))
  await overwriteDeleted(deps.db)
  return deleted
}

/** Deletes contents that are too old, and those of deletions that a dead server did not finish. */
async function pruneContents({ db }: { db: Db }, before: number): Promise<void> {
  await deleteInBatches(db, (rows) =>
    rows.where((e) =>
      e.or([
        e('created_at', '<', before),
        e.exists(
          e
            .selectFrom('workspaces')
            .whereRef('workspaces.id', '=', 'generation_contents.workspace_id')
            .whereRef('workspaces.contents_since', '>', 'generation_contents.created_at')
            .select('workspaces.id'),
        ),
      ]),
    ),
  )
}

/** The number of rows in one batch. A batch blocks other statements of the embedded database for some milliseconds. */
const maxBatchRows = 20

const contentRows = (db: Db) => db.query.selectFrom('generation_contents').select('id').limit(maxBatchRows)
type ContentRows = ReturnType<typeof contentRows>

/** Deletes the rows that `addCondition` selects. @returns their number. */
async function deleteInBatches(db: Db, addCondition: (rows: ContentRows) => ContentRows): Promise<number> {
  let deletedRows = 0
  let batchRows: number
  do {
    const { numDeletedRows } = await db.query
      .deleteFrom('generation_contents')
      .where('id', 'in', addCondition(contentRows(db)))
      .executeTakeFirst()
    batchRows = Number(numDeletedRows)
    deletedRows += batchRows
  } while (batchRows === maxBatchRows)
  return deletedRows
}

/** Prunes now and every hour. @returns the function that stops it. */
export function startPruningContents(
  deps: { db: Db; now: Now; onError: (error: Error) => void },
  retentionDays: number,
): () => void {
  const prune = () => pruneContents(deps, deps.now() - retentionDays * dayMs)
  return repeat(prune, { everyMs: hourMs, onError: deps.onError })
}
