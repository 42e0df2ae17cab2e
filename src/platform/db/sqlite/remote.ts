import type { Rpc } from '../../process/rpc.ts'
import type { DatabaseListeners, Db, Query } from '../db.ts'
import { appendEvents } from '../event-log.ts'
import { Kysely } from '../kysely.ts'
import { queryLog } from '../query-log.ts'
import type { Session } from '../rows/lend.ts'
import { collectNotifications, localSignals, type Notification } from '../signals.ts'
import type { Tables } from '../tables.ts'
import { type SqliteClient, sendable } from './client.ts'
import { createMutex, noMutex, sqliteDialect } from './dialect.ts'

/** Calls that the process which owns the file handles. */
export type OwnerCalls = {
  'db.run': Session['run']
  'db.announce': Session['publish']
}

/**
 * Calls of the owner to other processes. The answer confirms that their caches have processed the notifications.
 */
export type NotificationCalls = { 'db.announced': (notifications: readonly Notification[]) => void }

/**
 * The client of the embedded database that another process of this host owns.
 * @returns also the handlers of the owner's messages.
 */
export function openRemote(
  rpc: () => Rpc<OwnerCalls>,
  listeners: DatabaseListeners,
): { db: Db; handlers: NotificationCalls } {
  const clientOf = (report: boolean): SqliteClient => ({
    run: (sql, parameters) => rpc().call('db.run', { sql, parameters: parameters.map(sendable), report }),
    close: async () => {},
  })
  const mutex = createMutex()
  const query: Query = new Kysely<Tables>({ dialect: sqliteDialect(clientOf(false), mutex), log: queryLog(listeners) })
  const reports: Query = new Kysely<Tables>({
    dialect: sqliteDialect(clientOf(true), noMutex),
    log: queryLog(listeners),
  })
  const local = localSignals()
  const signals = { ...local, live: () => rpc().isOpen() }
  const db: Db = {
    kind: 'sqlite',
    query,
    reports,
    async exclusively(_name, work) {
      return query.transaction().execute(async (tx) => {
        const { notifications, events, publish } = collectNotifications()
        const result = await work(tx, publish)
        await appendEvents(tx, events)
        // The owner stores it with the transaction, so that it is sent only with the commit, even if this process dies.
        if (notifications.length > 0) await rpc().call('db.announce', notifications)
        return result
      })
    },
    signals,
    clockCorrectionMs: () => 0,
    health: () => ({ silentMs: 0, readOnly: false, isReachable: true, ...mutex.standing() }),
    async close() {
      await reports.destroy()
      await query.destroy()
    },
  }
  return { db, handlers: { 'db.announced': (notifications) => notifications.forEach(local.deliver) } }
}
