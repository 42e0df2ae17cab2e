import type { Session, SessionStatement, StatementResult } from '../rows/database-session.ts'
import type { Notification } from '../signals.ts'
import type { SqliteClient } from './client.ts'
import { type Mutex, rollbackIfActive } from './dialect.ts'
import { transactionStatements } from './statements.ts'

type SqliteSessionDeps = {
  writer: SqliteClient
  reader: SqliteClient
  mutex: Mutex
  /** Notifies every process, including this one. */
  publishAll: (notifications: readonly Notification[]) => Promise<void>
  /** A transaction without a statement for this time is rolled back, because it blocks all others. By default as on Postgres. */
  idleMs?: number
}

/** The code of Postgres for a transaction that was idle for too long. */
const idleInTransaction = '25P03'

/** Opens a session in the process that owns the file. There is one writing connection, so a transaction excludes all others. */
export function openSession({ writer, reader, mutex, publishAll, idleMs = 7000 }: SqliteSessionDeps): Session {
  let lastWork: Promise<unknown> = Promise.resolve()
  /** The state of the transaction. A broken one was rolled back after `idleMs`, which the other process does not know yet. */
  let state: 'none' | 'open' | 'broken' = 'none'
  let hasEnded = false
  let pendingNotifications: Notification[] = []
  let idleTimer: NodeJS.Timeout | undefined

  function serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = lastWork.then(work)
    lastWork = result.catch(() => {})
    return result
  }

  async function enterMutex(): Promise<void> {
    await mutex.enter()
    if (!hasEnded) return
    mutex.leave()
    throw new Error('The process of this transaction has ended.')
  }

  async function begin(): Promise<StatementResult> {
    await enterMutex()
    try {
      const result = await writer.run(transactionStatements.begin, [])
      state = 'open'
      return result
    } catch (error) {
      mutex.leave()
      throw error
    }
  }

  /** @returns the notifications of the transaction. */
  function endTransaction(nextState: 'none' | 'broken'): Notification[] {
    const notifications = pendingNotifications
    pendingNotifications = []
    state = nextState
    mutex.leave()
    return notifications
  }

  async function commit(): Promise<StatementResult> {
    if (state !== 'open') throw idleTransactionError()
    const result = await writer.run(transactionStatements.commit, [])
    const committed = endTransaction('none')
    if (committed.length > 0) await publishAll(committed)
    return result
  }

  async function rollBack(nextState: 'none' | 'broken' = 'none'): Promise<StatementResult> {
    if (state !== 'open') {
      state = nextState
      return { rows: [], changes: 0 }
    }
    return rollbackIfActive(writer).finally(() => endTransaction(nextState))
  }

  async function runOutsideTransaction(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    await enterMutex()
    return writer.run(sql, parameters).finally(mutex.leave)
  }

  function runStatement({ sql, parameters }: SessionStatement): Promise<StatementResult> {
    if (sql === transactionStatements.begin) return begin()
    if (sql === transactionStatements.commit) return commit()
    if (sql === transactionStatements.rollback) return rollBack()
    if (state === 'broken') return Promise.reject(idleTransactionError())
    return state === 'open' ? writer.run(sql, parameters) : runOutsideTransaction(sql, parameters)
  }

  function watchIdle(): void {
    clearTimeout(idleTimer)
    if (state === 'open') idleTimer = setTimeout(() => void serialize(() => rollBack('broken')).catch(() => {}), idleMs)
  }

  return {
    run(statement) {
      if (statement.report) return reader.run(statement.sql, statement.parameters)
      clearTimeout(idleTimer)
      return serialize(() => runStatement(statement).finally(watchIdle))
    },
    publish: (notifications) => void pendingNotifications.push(...notifications),
    end() {
      hasEnded = true
      clearTimeout(idleTimer)
      return serialize(async () => {
        await rollBack()
        // A statement that had not ended before has started the timer again.
        clearTimeout(idleTimer)
      })
    },
  }
}

const idleTransactionError = () =>
  Object.assign(new Error('The transaction was open for too long and was rolled back.'), { code: idleInTransaction })
