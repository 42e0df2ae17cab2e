import type { Db } from '../db.ts'
import { sql } from '../kysely.ts'

/**
 * Removes deleted data from all files. The embedded database overwrites it in its own file
 * (`secure_delete`); what its log of changes still has of it goes with this. Postgres overwrites what is deleted when it
 * vacuums, and has it in its own log until then.
 */
export async function overwriteDeleted({ kind, query }: Pick<Db, 'kind' | 'query'>): Promise<void> {
  if (kind === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(query)
}
