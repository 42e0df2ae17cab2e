import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { Db } from '#platform/db/db.ts'
import { Kysely } from '#platform/db/kysely.ts'
import { migrate } from '#platform/db/migrate.ts'
import { createLocalSignals } from '#platform/db/signals.ts'
import { createSqliteDialect } from '#platform/db/sqlite/dialect.ts'
import type { Tables } from '#platform/db/tables.ts'

/** A migrated database in memory, in this thread, so that a test does not wait for another thread or a disk. */
export async function memoryDb(): Promise<Db> {
  const database = new DatabaseSync(':memory:')
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const run = async (sql: string, parameters: readonly unknown[]) => {
    const statement = prepare(sql)
    const values = parameters as SQLInputValue[]
    if (statement.columns().length > 0) return { rows: statement.all(...values), changes: 0 }
    return { rows: [], changes: Number(statement.run(...values).changes) }
  }
  const query = new Kysely<Tables>({ dialect: createSqliteDialect({ run, close: async () => database.close() }) })
  await migrate({ kind: 'sqlite', query })
  return {
    kind: 'sqlite',
    query,
    reportQuery: query,
    exclusively: (_name, work) => query.transaction().execute((tx) => work(tx, () => {})),
    signals: createLocalSignals(),
    clockCorrectionMs: () => 0,
    health: () => ({ silentMs: 0, readOnly: false, isReachable: true, used: 0, idle: 1, waiting: 0 }),
    close: () => query.destroy(),
  }
}
