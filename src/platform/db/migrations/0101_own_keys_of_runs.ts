import type { Kysely } from 'kysely'

type Before = {
  interns: { id: string; key_hash: string | null }
  intern_runs: { intern_id: string; status: string; own_key: string | null }
}

/**
 * The intern's own key during each run, so that the model requests of a session can be found in the ledger. Runs in flight
 * get the current key of their intern, without which their further model requests would be refused.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('intern_runs').addColumn('own_key', 'text').execute()
  await (db as Kysely<Before>)
    .updateTable('intern_runs')
    .set((e) => ({
      own_key: e.selectFrom('interns').select('key_hash').whereRef('interns.id', '=', 'intern_runs.intern_id'),
    }))
    .where('status', '<>', 'ended')
    .execute()
}
