import type { Db } from './db.ts'
import { sql } from './kysely.ts'
import { olderApplicationNames } from './postgres/application-names.ts'

/**
 * Whether servers of schema version 91 or before are connected to the database. They count the limit of a guardrail in one account
 * for all its members and keys (`src/spend/budgets/accounts/guardrail-accounts.ts`). On Postgres, such servers continue after the
 * migration, at the same time as newer ones. The embedded database has only one server.
 */
export async function hasOlderServers({ kind, query }: Pick<Db, 'kind' | 'query'>): Promise<boolean> {
  if (kind === 'sqlite') return false
  const { rows } = await sql`
    select 1 from pg_stat_activity
      where datname = current_database() and application_name in (${sql.join([...olderApplicationNames])})
      limit 1`.execute(query)
  return rows.length > 0
}
