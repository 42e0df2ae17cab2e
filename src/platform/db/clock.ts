import type { RawBuilder } from 'kysely'
import type { Now } from '../core/clock.ts'
import type { Db } from './db.ts'
import { sql } from './kysely.ts'

/** The clock of the database, which all its servers use: their own clocks can differ and can be set while they run. */
export type DatabaseClock = {
  /** An SQL expression for the time in whole milliseconds since the epoch, as columns store it. */
  nowSql: () => RawBuilder<number>
  /** A monotonic clock that runs as fast as the clock of the database, in milliseconds since an arbitrary time. */
  elapsed: Now
}

/** The clock of the embedded database is the clock of its only server. */
export function createDatabaseClock(db: Pick<Db, 'kind'>, now: Now): DatabaseClock {
  const elapsed = () => performance.now()
  if (db.kind === 'sqlite') return { ...createLocalClock(now), elapsed }
  return {
    nowSql: () => sql<number>`cast(ceil(extract(epoch from clock_timestamp()) * 1000) as bigint)`,
    elapsed,
  }
}

/** Creates the clock of a database from `now` alone. In tests it also measures durations. */
export function createLocalClock(now: Now): DatabaseClock {
  return { nowSql: () => sql<number>`cast(${Math.ceil(now())} as bigint)`, elapsed: now }
}
