import pg from 'pg'
import { Fault } from '../../core/fault.ts'
import type { Db, Query, Tx } from '../db.ts'
import type { NewEvent } from '../event.ts'
import { sql } from '../kysely.ts'
import { collectNotifications, type LocalSignals, type Notification } from '../signals.ts'
import { insertEventsStatement } from './insert-events.ts'
import { createLocalLocks } from './local-locks.ts'
import { notifyStatement } from './revisions.ts'

const lockNotAvailable = '55P03'

/**
 * Runs transactions under a lock. To hold it for as few round trips as possible, the lock is requested together with `begin`.
 * Notifications are sent together with `commit`: each locks the revision of its topic, and no round trip follows while it is
 * locked.
 */
export function createExclusively(query: Query, signals: LocalSignals, lockMs: number): Db['exclusively'] {
  const withLocalLock = createLocalLocks(lockMs)
  return async (name, work) => {
    const { notifications, events, publish } = collectNotifications()
    const runInTransaction = () =>
      query.connection().execute(async (connection) => {
        // Usable as a Tx, because the transaction was started on this connection by SQL.
        const tx = connection as unknown as Tx
        try {
          await begin(tx, name, lockMs)
          const result = await work(tx, publish)
          await commit(tx, notifications, events)
          return result
        } catch (error) {
          await sql`rollback`.execute(tx).catch(() => {})
          throw (error as { code?: unknown }).code === lockNotAvailable ? lockTimeoutFault() : error
        }
      })
    const outcome = await withLocalLock(name, runInTransaction)
    if (!outcome) throw lockTimeoutFault()
    notifications.forEach(signals.deliver)
    return outcome.result
  }
}

async function begin(tx: Tx, name: string, lockMs: number): Promise<void> {
  const lock = `select pg_advisory_xact_lock(hashtextextended(${pg.escapeLiteral(name)}, 0))`
  await sql.raw(`begin; set local lock_timeout = ${lockMs}; ${lock}`).execute(tx)
}

async function commit(tx: Tx, notifications: Notification[], events: NewEvent[]): Promise<void> {
  const eventStatements = events.length > 0 ? [insertEventsStatement(events)] : []
  await sql
    .raw([...sortByTopic(notifications).map(notifyStatement), ...eventStatements, 'commit'].join('; '))
    .execute(tx)
}

/** Sorts notifications: incrementing the revision of a topic locks it, so all transactions must use the same order. */
function sortByTopic(notifications: Notification[]): Notification[] {
  return notifications.toSorted((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0))
}

const lockTimeoutFault = () =>
  new Fault('conflict', 'Another change to the same object is taking too long. Nothing was changed; try again later.')
