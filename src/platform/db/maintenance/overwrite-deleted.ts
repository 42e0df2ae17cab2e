import type { Db } from '../db.ts'
import { sql } from '../kysely.ts'

/**
 * Removes deleted data from the files of the embedded database: `secure_delete` overwrites it in the main file, and this
 * checkpoint in the write-ahead log. Postgres overwrites deleted data at its next vacuum, and has it in its log until then.
 */
export async function overwriteDeleted({ kind, query }: Pick<Db, 'kind' | 'query'>): Promise<void> {
  if (kind === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(query)
}
