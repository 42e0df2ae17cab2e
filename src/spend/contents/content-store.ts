import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import type { Caller, CallerScope } from '#identity/accounts/caller.ts'
import { getWorkspace } from '#identity/accounts/workspaces.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { repeat } from '#platform/async/reconcile.ts'
import { dayMs, hourMs, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import { type Db, isUniqueViolation, type Query, type Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { overwriteDeleted } from '#platform/db/maintenance/overwrite-deleted.ts'
import type { Content, ContentOwner } from './content.ts'

const inflateAsync = promisify(inflateRaw)

export type EncryptedContent = ContentOwner & { sealed: string; sealedBy: string }

/** Writes contents, except those of deleted workspaces or deleted contents. @returns the number written. */
export async function writeContents(db: Db, contents: readonly EncryptedContent[]): Promise<number> {
  const writeEach = async (query: Query | Tx) => {
    let written = 0
    for (const content of contents) written += await writeContent(db.kind, query, content)
    return written
  }
  try {
    return await db.query.transaction().execute(writeEach)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    // An earlier attempt, whose answer was lost, may have written some of the contents.
    let written = 0
    for (const content of contents) written += await writeContent(db.kind, db.query, content).catch(ignoreDuplicate)
    return written
  }
}

/** @returns 1, because an earlier attempt has written the duplicate content. */
function ignoreDuplicate(error: unknown): number {
  if (!isUniqueViolation(error)) throw error
  return 1
}

/**
 * Writes one content, unless it is older than the last deletion of the workspace's contents (`contents_since`). Locks the workspace,
 * so that a deletion runs either before this write, which then skips the content, or after it, and deletes the row.
 */
async function writeContent(kind: Db['kind'], query: Query | Tx, content: EncryptedContent): Promise<number> {
  const { id, organizationId, workspaceId, keyHash, userId, createdAt, sealedBy, sealed } = content
  // Casts, because Postgres does not infer the types of parameters in a select list.
  const values = [id, organizationId, workspaceId, keyHash, userId].map((text) => sql<string>`cast(${text} as text)`)
  const { numInsertedOrUpdatedRows } = await query
    .insertInto('generation_contents')
    .columns(['id', 'organization_id', 'workspace_id', 'key_hash', 'user_id', 'created_at', 'sealed_by', 'sealed'])
    .expression((e) =>
      e
        .selectFrom('workspaces')
        .where('id', '=', workspaceId)
        .where('contents_since', '<=', createdAt)
        .$if(kind === 'postgres', (rows) => rows.forShare())
        .select([
          ...values.map((value, index) => value.as(`c${index}`)),
          sql<number>`cast(${createdAt} as bigint)`.as('at'),
          sql<string>`cast(${sealedBy} as text)`.as('by'),
          sql<string>`cast(${sealed} as text)`.as('sealed'),
        ]),
    )
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows ?? 0)
}

type Reader = CallerScope & Pick<Caller, 'keyKind' | 'keyHash' | 'userId'>

/**
 * Selects the contents that a caller can read: a management key those of its organization, an intern's key its own, and
 * every other key those of its member.
 */
function readableContents(query: Query | Tx, { keyKind, keyHash, userId, ...scope }: Reader) {
  const { organizationId, workspaceId, isWorkspaceScoped } = scope
  const contentsOfOrganization = query
    .selectFrom('generation_contents')
    .innerJoin('workspaces', 'workspaces.id', 'generation_contents.workspace_id')
    .where('generation_contents.organization_id', '=', organizationId)
    .whereRef('generation_contents.created_at', '>=', 'workspaces.contents_since')
  if (keyKind === 'management' && !isWorkspaceScoped) return contentsOfOrganization
  if (keyKind === 'management')
    return contentsOfOrganization.where('generation_contents.workspace_id', '=', workspaceId)
  if (keyKind === 'intern') return contentsOfOrganization.where('generation_contents.key_hash', '=', keyHash)
  return contentsOfOrganization
    .where('generation_contents.workspace_id', '=', workspaceId)
    .where('generation_contents.user_id', '=', userId)
}

const contentNotFound = () =>
  new Fault(
    'not_found',
    'The content of this generation is not stored. It may not be written yet (that takes up to a second), or its workspace does not store contents (is_observability_io_logging_enabled).',
  )

/** @throws Fault `not_found` for content that is not stored, or that the caller must not read. */
export async function readContent(
  { db, vault }: { db: Pick<Db, 'reportQuery'>; vault: Vault },
  caller: Reader,
  id: string,
): Promise<Content> {
  const row = await readableContents(db.reportQuery, caller)
    .where('generation_contents.id', '=', id)
    .select('generation_contents.sealed')
    .executeTakeFirst()
  if (!row) throw contentNotFound()
  return JSON.parse((await inflateAsync(vault.openBytes(row.sealed, id))).toString('utf8')) as Content
}

type DeleteDeps = { db: Db; now: Now; newId: NewId }

/** @throws Fault `not_found` as `readContent`. */
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
 * @returns how many there were.
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

async function deleteInBatches(db: Db, matching: (rows: ContentRows) => ContentRows): Promise<number> {
  for (let deleted = 0; ; ) {
    const { numDeletedRows } = await db.query
      .deleteFrom('generation_contents')
      .where('id', 'in', matching(contentRows(db)))
      .executeTakeFirst()
    deleted += Number(numDeletedRows)
    if (Number(numDeletedRows) < maxBatchRows) return deleted
  }
}

const everyMs = hourMs

/** Prunes now and every hour. @returns the function that stops it. */
export function startPruningContents(
  deps: { db: Db; now: Now; onError: (error: Error) => void },
  retentionDays: number,
): () => void {
  const prune = () => pruneContents(deps, deps.now() - retentionDays * dayMs)
  return repeat(prune, { everyMs, onError: deps.onError })
}
