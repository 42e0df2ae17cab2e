import { waitAtMost } from '../../async/wait-at-most.ts'
import { UserFacingError } from '../../core/fault.ts'
import type { DatabaseListeners, Db, Query, Tx } from '../db.ts'
import { appendEvents } from '../event-log.ts'
import { Kysely } from '../kysely.ts'
import { createQueryLog } from '../query-log.ts'
import type { OpenDatabaseSession } from '../rows/database-session.ts'
import { collectNotifications, createLocalSignals, type Notification } from '../signals.ts'
import type { Tables } from '../tables.ts'
import { createReader, openSqlite } from './client.ts'
import { createMutex, createSqliteDialect, noopMutex } from './dialect.ts'
import { openSession } from './session.ts'

/** The maximum time that a transaction waits until other processes have received its notifications. */
const notifyTimeoutMs = 500

/** Opens the embedded database. `prepare` migrates it before any other query. */
export async function openEmbedded(
  path: string,
  prepare: (query: Query) => Promise<void>,
  listeners: DatabaseListeners,
): Promise<Db> {
  const client = await openSqlite(path).catch((error: Error) => {
    throw new UserFacingError(
      `The database ${path} cannot be opened: ${error.message}. Restore a backup, or set DATA_DIR to another folder.`,
    )
  })
  const mutex = createMutex()
  const query: Query = new Kysely<Tables>({
    dialect: createSqliteDialect(client, mutex),
    log: createQueryLog(listeners),
  })
  await prepare(query).catch(async (error) => {
    await query.destroy()
    throw error
  })
  const reader = createReader(path)
  const reportQuery: Query = new Kysely<Tables>({
    dialect: createSqliteDialect(reader, noopMutex),
    log: createQueryLog(listeners),
  })
  const signals = createLocalSignals()
  const borrowers = new Set<Parameters<OpenDatabaseSession>[0]>()
  async function publishAll(notifications: readonly Notification[]): Promise<void> {
    notifications.forEach(signals.deliver)
    if (borrowers.size === 0) return
    const delivered = Promise.allSettled([...borrowers].map((notify) => notify(notifications)))
    await waitAtMost(notifyTimeoutMs, delivered)
  }
  return {
    kind: 'sqlite',
    query,
    reportQuery,
    // The only writing connection: `begin immediate` already excludes all others.
    async exclusively(_name, work) {
      const { notifications, events, publish } = collectNotifications()
      const result = await query.transaction().execute(async (tx: Tx) => {
        const workResult = await work(tx, publish)
        await appendEvents(tx, events)
        return workResult
      })
      await publishAll(notifications)
      return result
    },
    openSession(notify) {
      borrowers.add(notify)
      const session = openSession({ writer: client, reader, mutex, publishAll })
      return {
        ...session,
        end() {
          borrowers.delete(notify)
          return session.end()
        },
      }
    },
    signals,
    clockCorrectionMs: () => 0,
    health: () => ({ silentMs: 0, readOnly: false, isReachable: true, ...mutex.usage() }),
    async close() {
      await reportQuery.destroy()
      // Kysely closes the reader only if it has used it; other processes can have used it too.
      await reader.close()
      await query.destroy()
    },
  }
}
