import pg from 'pg'
import { Fault } from '../../core/fault.ts'
import type { Db, Query, Tx } from '../db.ts'
import type { NewEvent } from '../event.ts'
import { sql } from '../kysely.ts'
import { type Announcement, announcements, type LocalSignals } from '../signals.ts'
import { appending } from './appending.ts'
import { createLocalLocks } from './local-locks.ts'
import { announcing } from './revisions.ts'

const lockNotAvailable = '55P03'

/**
 * Others wait for as long as the lock is held, and each round trip within it may be long: it is asked for together with
 * `begin`, and what is announced goes with `commit`, so that no server ever waits while it holds a topic's revision.
 */
export function createExclusively(query: Query, signals: LocalSignals, lockMs: number): Db['exclusively'] {
  const inTurn = createLocalLocks(lockMs)
  return async (name, work) => {
    const { announced, events, announce } = announcements()
    const run = () =>
      query.connection().execute(async (connection) => {
        // One connection, within a transaction: what a Tx is, but for who says `begin`.
        const tx = connection as unknown as Tx
        try {
          await begin(tx, name, lockMs)
          const done = await work(tx, announce)
          await commit(tx, announced, events)
          return done
        } catch (error) {
          await sql`rollback`.execute(tx).catch(() => {})
          throw (error as { code?: unknown }).code === lockNotAvailable ? tooLong() : error
        }
      })
    const turn = await inTurn(name, run)
    if (!turn) throw tooLong()
    announced.forEach(signals.deliver)
    return turn.done
  }
}

async function begin(tx: Tx, name: string, lockMs: number): Promise<void> {
  const lock = `select pg_advisory_xact_lock(hashtextextended(${pg.escapeLiteral(name)}, 0))`
  await sql.raw(`begin; set local lock_timeout = ${lockMs}; ${lock}`).execute(tx)
}

async function commit(tx: Tx, announced: Announcement[], events: NewEvent[]): Promise<void> {
  const appended = events.length > 0 ? [appending(events)] : []
  await sql.raw([...inLockOrder(announced).map(announcing), ...appended, 'commit'].join('; ')).execute(tx)
}

/** Counting up a topic locks it: two transactions that announce several must do so in one order. */
function inLockOrder(announced: Announcement[]): Announcement[] {
  return announced.toSorted((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0))
}

const tooLong = () =>
  new Fault('conflict', 'Another change to the same object is taking too long. Nothing was changed; try again later.')
