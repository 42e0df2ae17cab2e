import { type Db, isUniqueViolation, type Query, type Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { ContentOwner } from './content.ts'

/** An encrypted content, and the name of the key that encrypted it. */
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
    // An earlier attempt, whose response was lost, may have written some of the contents.
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
