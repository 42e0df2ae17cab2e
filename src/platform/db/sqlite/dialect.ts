import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from '../kysely.ts'
import { countLongWaits } from '../long-waits.ts'
import type { StatementResult } from '../rows/database-session.ts'
import type { SqliteClient } from './client.ts'
import { transactionStatements } from './statements.ts'

/** SQLite rolls back DDL with its transaction, so a failed migration changes nothing. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** The Kysely dialect for the worker thread. */
export function createSqliteDialect(client: SqliteClient, mutex: MutexLock = createMutex()): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => createSqliteDriver(client, mutex),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function createSqliteDriver(client: SqliteClient, mutex: MutexLock): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await client.run(query.sql, query.parameters)
      return { rows: rows as R[], numAffectedRows: BigInt(changes) }
    },
    streamQuery: () => {
      throw new Error('The embedded database does not stream rows.')
    },
  }
  const run = async (sql: string) => void (await client.run(sql, []))
  return {
    init: async () => {},
    acquireConnection: async () => {
      await mutex.enter()
      return connection
    },
    releaseConnection: async () => mutex.leave(),
    beginTransaction: () => run(transactionStatements.begin),
    commitTransaction: () => run(transactionStatements.commit),
    rollbackTransaction: async () => void (await rollbackIfActive(client)),
    destroy: () => client.close(),
  }
}

/** Rolls back. Ignores the error if SQLite has already rolled back, for example because of a full disk: the caller must get that error. */
export function rollbackIfActive(client: Pick<SqliteClient, 'run'>): Promise<StatementResult> {
  return client.run(transactionStatements.rollback, []).catch((error: Error) => {
    if (/no transaction is active/.test(error.message)) return { rows: [], changes: 0 }
    throw error
  })
}

/** A lock for the only connection. Waiting callers enter in the order of their calls. */
export function createMutex() {
  const queue: { enter: () => void; since: number }[] = []
  let isLocked = false
  return {
    enter(): Promise<void> {
      if (!isLocked) {
        isLocked = true
        return Promise.resolve()
      }
      return new Promise((enter) => queue.push({ enter, since: performance.now() }))
    },
    leave() {
      const firstWaiter = queue.shift()
      if (firstWaiter) firstWaiter.enter()
      else isLocked = false
    },
    usage: () => ({ used: Number(isLocked), idle: Number(!isLocked), waiting: countLongWaits(queue) }),
  }
}
export type Mutex = ReturnType<typeof createMutex>
type MutexLock = Pick<Mutex, 'enter' | 'leave'>

/** The mutex of a connection without transactions, whose statements need no lock. */
export const noopMutex: MutexLock = { enter: async () => {}, leave: () => {} }
