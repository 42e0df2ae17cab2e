import type { Rpc } from '../../process/rpc.ts'
import type { DatabaseListeners, Db, Query } from '../db.ts'
import { appendEvents } from '../event-log.ts'
import { Kysely } from '../kysely.ts'
import { createQueryLog } from '../query-log.ts'
import type { Session } from '../rows/database-session.ts'
import { collectNotifications, createLocalSignals, type Notification } from '../signals.ts'
import type { Tables } from '../tables.ts'
import { type SqliteClient, toSendable } from './client.ts'
import { createMutex, createSqliteDialect, noopMutex } from './dialect.ts'

/** Calls to the process that owns the file of the embedded database. */
export type DatabaseCalls = {
  'db.run': Session['run']
  'db.announce': Session['publish']
}

/**
 * Calls of the owner to other processes. The response confirms that their caches have processed the notifications.
 */
export type NotificationCalls = { 'db.announced': (notifications: readonly Notification[]) => void }

/**
 * The client of the embedded database that another process of this host owns.
 * @returns the database, and the handlers of the owner's messages.
 */
export function openRemoteDatabase(
  rpc: () => Rpc<DatabaseCalls>,
  listeners: DatabaseListeners,
): { db: Db; handlers: NotificationCalls } {
  const createClient = ({ report }: { report: boolean }): SqliteClient => ({
    run: (sql, parameters) => rpc().call('db.run', { sql, parameters: parameters.map(toSendable), report }),
    close: async () => {},
  })
  const mutex = createMutex()
  const query: Query = new Kysely<Tables>({
    dialect: createSqliteDialect(createClient({ report: false }), mutex),
    log: createQueryLog(listeners),
  })
  const reportQuery: Query = new Kysely<Tables>({
    dialect: createSqliteDialect(createClient({ report: true }), noopMutex),
    log: createQueryLog(listeners),
  })
  const local = createLocalSignals()
  const signals = { ...local, live: () => rpc().isOpen() }
  const db: Db = {
    kind: 'sqlite',
    query,
    reportQuery,
    async exclusively(_name, work) {
      return query.transaction().execute(async (tx) => {
        const { notifications, events, publish } = collectNotifications()
        const result = await work(tx, publish)
        await appendEvents(tx, events)
        // The owner stores the notifications until the commit, so that they are sent only with it, even if this process dies.
        if (notifications.length > 0) await rpc().call('db.announce', notifications)
        return result
      })
    },
    signals,
    clockCorrectionMs: () => 0,
    health: () => ({ silentMs: 0, readOnly: false, isReachable: true, ...mutex.usage() }),
    async close() {
      await reportQuery.destroy()
      await query.destroy()
    },
  }
  return { db, handlers: { 'db.announced': (notifications) => notifications.forEach(local.deliver) } }
}
