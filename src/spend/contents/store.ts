import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import type { Caller, CallerScope } from '#identity/accounts/caller.ts'
import { getWorkspace } from '#identity/accounts/workspaces.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { repeat } from '#platform/async/reconcile.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import { type Db, isUniqueViolation, type Query, type Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { overwriteDeleted } from '#platform/db/maintenance/overwrite-deleted.ts'
import type { Content, ContentOwner } from './content.ts'

const inflated = promisify(inflateRaw)

export type SealedContent = ContentOwner & { sealed: string; sealedBy: string }

/** Writes contents, except those of deleted workspaces or deleted contents. @returns the number written. */
export async function writeContents(db: Db, contents: readonly SealedContent[]): Promise<number> {
  const writeEach = async (query: Query | Tx) => {
    let written = 0
    for (const content of contents) written += await writeOne(db.kind, query, content)
    return written
  }
  try {
    return await db.query.transaction().execute(writeEach)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    // An earlier attempt may have written some although its answer was lost.
    let written = 0
    for (const content of contents) written += await writeOne(db.kind, db.query, content).catch(ignoreDuplicate)
    return written
  }
}

function ignoreDuplicate(error: unknown): number {
  if (!isUniqueViolation(error)) throw error
  return 1
}

/**
 * Locks the workspace: a deletion of its contents runs either before this write, which then sees it, or after it and
 * includes these rows.
 */
async function writeOne(kind: Db['kind'], query: Query | Tx, content: SealedContent): Promise<number> {
  const { id, organizationId, workspaceId, keyHash, userId, createdAt, sealedBy, sealed } = content
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
          ...values.map((value, at) => value.as(`c${at}`)),
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
 * A management key reads requests of its organization, an intern's key its own, and every other key those of its
 * member.
 */
function readableBy(query: Query | Tx, { keyKind, keyHash, userId, ...scope }: Reader) {
  const { organizationId, workspaceId, isWorkspaceScoped } = scope
  const all = query
    .selectFrom('generation_contents')
    .innerJoin('workspaces', 'workspaces.id', 'generation_contents.workspace_id')
    .where('generation_contents.organization_id', '=', organizationId)
    .whereRef('generation_contents.created_at', '>=', 'workspaces.contents_since')
  if (keyKind === 'management' && !isWorkspaceScoped) return all
  if (keyKind === 'management') return all.where('generation_contents.workspace_id', '=', workspaceId)
  if (keyKind === 'intern') return all.where('generation_contents.key_hash', '=', keyHash)
  return all
    .where('generation_contents.workspace_id', '=', workspaceId)
    .where('generation_contents.user_id', '=', userId)
}

const noContent = () =>
  new Fault(
    'not_found',
    'The content of this generation is not stored. It may not be written yet (that takes up to a second), or its workspace does not store contents (is_observability_io_logging_enabled).',
  )

/** @throws Fault `not_found`: the same for requests of others as for content that is not stored. */
export async function readContent(
  { db, vault }: { db: Pick<Db, 'reports'>; vault: Vault },
  caller: Reader,
  id: string,
): Promise<Content> {
  const row = await readableBy(db.reports, caller)
    .where('generation_contents.id', '=', id)
    .select('generation_contents.sealed')
    .executeTakeFirst()
  if (!row) throw noContent()
  return JSON.parse((await inflated(vault.openBytes(row.sealed, id))).toString('utf8')) as Content
}

type DeleteDeps = { db: Db; now: Now; newId: NewId }

/** @throws Fault `not_found` as `readContent`. */
export async function deleteContent(deps: DeleteDeps, caller: Caller, id: string): Promise<void> {
  await deps.db.exclusively(`content ${id}`, async (tx) => {
    const found = await readableBy(tx, caller)
      .where('generation_contents.id', '=', id)
      .select('generation_contents.workspace_id')
      .executeTakeFirst()
    if (!found) throw noContent()
    await tx.deleteFrom('generation_contents').where('id', '=', id).execute()
    await recordChange(deps, tx, caller, {
      action: 'content.deleted',
      targetKind: 'generation',
      targetId: id,
      before: { workspace_id: found.workspace_id },
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
export async function deleteContentsOf(deps: DeleteDeps, caller: Caller, workspace: string): Promise<number> {
  const { id } = await getWorkspace(deps, caller, workspace)
  await deps.db.exclusively(`contents of ${id}`, async (tx) => {
    await tx
      .updateTable('workspaces')
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
  const deleted = await deleteInSteps(deps.db, (rows) => rows.where('workspace_id', '=', id))
  await overwriteDeleted(deps.db)
  return deleted
}

/** Deletes contents that are too old, and those of deletions that a dead server did not finish. */
async function pruneContents({ db }: { db: Db }, before: number): Promise<void> {
  await deleteInSteps(db, (rows) =>
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
const rowsAtOnce = 20

const contentRows = (db: Db) => db.query.selectFrom('generation_contents').select('id').limit(rowsAtOnce)
type ContentRows = ReturnType<typeof contentRows>

async function deleteInSteps(db: Db, matching: (rows: ContentRows) => ContentRows): Promise<number> {
  for (let deleted = 0; ; ) {
    const { numDeletedRows } = await db.query
      .deleteFrom('generation_contents')
      .where('id', 'in', matching(contentRows(db)))
      .executeTakeFirst()
    deleted += Number(numDeletedRows)
    if (Number(numDeletedRows) < rowsAtOnce) return deleted
  }
}

const everyMs = 3_600_000
const dayMs = 86_400_000

/** Prunes now and every hour. @returns the function that stops it. */
export function keepPruningContents(
  deps: { db: Db; now: Now; onError: (error: Error) => void },
  retentionDays: number,
): () => void {
  const prune = () => pruneContents(deps, deps.now() - retentionDays * dayMs)
  return repeat(prune, { everyMs, onError: deps.onError })
}
