import type { Db, Tx } from './db.ts'
import { sql } from './kysely.ts'

/**
 * Locks a name until the transaction ends. Shared locks exclude only exclusive ones. SQLite has one writer, so a transaction
 * that writes needs no lock.
 */
export async function lockInTransaction(
  { kind }: Pick<Db, 'kind'>,
  tx: Tx,
  name: string,
  mode: 'shared' | 'exclusive',
): Promise<void> {
  if (kind === 'sqlite') return
  const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')
  await sql`select ${lock}(hashtextextended(${name}, 0))`.execute(tx)
}
