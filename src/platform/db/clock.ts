import type { RawBuilder } from 'kysely'
import type { Now } from '../core/clock.ts'
import type { Db } from './db.ts'
import { sql } from './kysely.ts'

/** The clock of the database, by which all its servers go: their own may differ, and be set while they run. */
export type DatabaseClock = {
  /** The time in milliseconds since the epoch, as the database reads it in the statement that holds this. */
  at: () => RawBuilder<number>
  /** Milliseconds since any instant. It goes as fast as the database's clock, and nobody sets it. */
  elapsed: Now
}

/** The embedded database has no clock but that of its one server. */
export function databaseClock(db: Pick<Db, 'kind'>, now: Now): DatabaseClock {
  if (db.kind === 'sqlite') return clockOf(now)
  return {
    at: () => sql<number>`cast(ceil(extract(epoch from clock_timestamp()) * 1000) as bigint)`,
    elapsed: () => performance.now(),
  }
}

/** A clock that all servers of a database share. */
export function clockOf(now: Now): DatabaseClock {
  return { at: () => sql<number>`cast(${Math.ceil(now())} as bigint)`, elapsed: now }
}
