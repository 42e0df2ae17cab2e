import type { Rows, Session, SessionStatement } from '../rows/lend.ts'
import type { Notification } from '../signals.ts'
import type { SqliteClient } from './client.ts'
import { type Mutex, rollbackIfActive } from './dialect.ts'
import { statements } from './statements.ts'

type SqliteSessionDeps = {
  writer: SqliteClient
  reader: SqliteClient
  mutex: Mutex
  /** Notifies every process, including this one. */
  publishAll: (notifications: readonly Notification[]) => Promise<void>
  /** A transaction without a statement for this time is rolled back, because it blocks all others. */
  idleMs?: number
}

/** The code of Postgres for a transaction that was idle for too long. */
const idleInTransaction = '25P03'

/** Opens a session in the process that owns the file. There is one writing connection, so a transaction excludes all others. */
export function openSession({ writer, reader, mutex, publishAll, idleMs = 7000 }: SqliteSessionDeps): Session {
  let last: Promise<unknown> = Promise.resolve()
  let state: 'none' | 'open' | 'broken' = 'none'
  let ended = false
  let pendingNotifications: Notification[] = []
  let idle: NodeJS.Timeout | undefined

  function serialize<T>(work: () => Promise<T>): Promise<T> {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }

  async function enter(): Promise<void> {
    await mutex.enter()
    if (!ended) return
    mutex.leave()
    throw new Error('The process of this transaction has ended.')
  }

  async function begin(): Promise<Rows> {
    await enter()
    try {
      const rows = await writer.run(statements.begin, [])
      state = 'open'
      return rows
    } catch (error) {
      mutex.leave()
      throw error
    }
  }

  function leave(after: 'none' | 'broken'): Notification[] {
    const committed = pendingNotifications
    pendingNotifications = []
    state = after
    mutex.leave()
    return committed
  }

  async function commit(): Promise<Rows> {
    if (state !== 'open') throw idleTransactionError()
    const rows = await writer.run(statements.commit, [])
    const committed = leave('none')
    if (committed.length > 0) await publishAll(committed)
    return rows
  }

  async function rollBack(after: 'none' | 'broken' = 'none'): Promise<Rows> {
    const none = { rows: [], changes: 0 }
    if (state !== 'open') {
      state = after
      return none
    }
    return rollbackIfActive(writer).finally(() => leave(after))
  }

  async function runAlone(sql: string, parameters: readonly unknown[]): Promise<Rows> {
    await enter()
    return writer.run(sql, parameters).finally(mutex.leave)
  }

  function runNext({ sql, parameters }: SessionStatement): Promise<Rows> {
    if (sql === statements.begin) return begin()
    if (sql === statements.commit) return commit()
    if (sql === statements.rollback) return rollBack()
    if (state === 'broken') return Promise.reject(idleTransactionError())
    return state === 'open' ? writer.run(sql, parameters) : runAlone(sql, parameters)
  }

  function watchIdle(): void {
    clearTimeout(idle)
    if (state === 'open') idle = setTimeout(() => void serialize(() => rollBack('broken')).catch(() => {}), idleMs)
  }

  return {
    run(statement) {
      if (statement.report) return reader.run(statement.sql, statement.parameters)
      clearTimeout(idle)
      return serialize(() => runNext(statement).finally(watchIdle))
    },
    publish: (notifications) => void pendingNotifications.push(...notifications),
    end() {
      ended = true
      clearTimeout(idle)
      return serialize(async () => {
        await rollBack()
        clearTimeout(idle)
      })
    },
  }
}

const idleTransactionError = () =>
  Object.assign(new Error('The transaction was open for too long and was rolled back.'), { code: idleInTransaction })
