import type { Kysely, Transaction } from 'kysely'
import type { OpenDatabaseSession } from './rows/database-session.ts'
import type { Publish, Signals } from './signals.ts'
import type { Tables } from './tables.ts'

export type Query = Kysely<Tables>
export type Tx = Transaction<Tables>

/**
 * The database, with one interface for both drivers.
 */
export type Db = {
  kind: 'sqlite' | 'postgres'
  /** Queries outside of a transaction. Each is durable when its promise resolves. */
  query: Query
  /**
   * Read-only queries of much data. On the embedded database they use a separate connection, so that a query of seconds does
   * not delay other statements.
   */
  reportQuery: Query
  /**
   * Runs `work` in a transaction, as the only writer for `name` over all servers. Its notifications are sent if and
   * when the transaction commits.
   * @throws Fault `conflict` if another writer holds the name too long; nothing was changed then.
   */
  exclusively: <T>(name: string, work: (tx: Tx, publish: Publish) => Promise<T>) => Promise<T>
  /** Notifications between the servers on this database. */
  signals: Signals
  /** The correction of this server's clock, if it differs from the database's clock by more than a second. */
  clockCorrectionMs: () => number
  /** Returns the last known state of the database, without a query. */
  health: () => DatabaseHealth
  /** Opens the embedded database for another process of this host. With Postgres, each process connects itself. */
  openSession?: OpenDatabaseSession
  close: () => Promise<void>
}

/** The last known state of the database and of the connections to it. */
export type DatabaseHealth = {
  /** The time since the database last answered, in milliseconds. */
  silentMs: number
  /** Whether the database rejects writes. */
  readOnly: boolean
  /** Whether the database accepts connections and has answered recently. */
  isReachable: boolean
  /** The number of connections in use, of idle ones, and of callers that wait for one. */
  used: number
  idle: number
  waiting: number
}

/** Receives events of the database. */
export type DatabaseListeners = {
  /** An idle connection broke. */
  onError?: (error: Error) => void
  /** The database is unavailable: it did not respond for `database_silence_ms`. */
  onUnavailable?: () => void
  /** The database responds again after an outage. */
  onRecovered?: (outageMs: number) => void
  /** The clocks of database and server differ by this time. The database's clock is used from now on. */
  onClockSkew?: (offsetMs: number) => void
  /** The server rejected these session settings, so their timeouts do not apply. */
  onRejectedSettings?: (names: string[]) => void
  /** A statement has finished. `sql` is missing if it got no connection. @param error why it failed. */
  onQuery?: (seconds: number, outcome: 'ok' | 'failed', error?: unknown, sql?: string) => void
}

/** Whether a write failed because a unique value was taken. */
export function isUniqueViolation(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === '23505' || (typeof message === 'string' && message.includes('UNIQUE constraint failed'))
}

/** Whether a row could not be deleted because other rows refer to it. */
export function isForeignKeyViolation(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === '23503' || (typeof message === 'string' && message.includes('FOREIGN KEY constraint failed'))
}

/** Codes of Postgres (invalid data, violated constraints, exceeded limits) and of SQLite's driver. */
const rejectedCodes = /^(2[23]...|54...|ERR_INVALID_ARG_(TYPE|VALUE)|ERR_OUT_OF_RANGE)$/

/** Whether a write failed because of its values, so that a retry would fail too. */
export function isRejectedWrite(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code !== 'string') return false
  return rejectedCodes.test(code) || /constraint failed|datatype mismatch|too big/.test(String(message))
}
