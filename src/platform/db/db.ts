import type { Kysely, Transaction } from 'kysely'
import type { Lend } from './rows/lend.ts'
import type { Announce, Signals } from './signals.ts'
import type { Tables } from './tables.ts'

export type Query = Kysely<Tables>
export type Tx = Transaction<Tables>

/**
 * The database: one set of queries, two drivers. The drivers differ only behind this seam.
 */
export type Db = {
  kind: 'sqlite' | 'postgres'
  /** Queries outside a transaction; each is durable when its promise resolves. */
  query: Query
  /**
   * Queries that may read much, and change nothing. On the embedded database they have a connection of their own, which
   * the first one opens: what runs for seconds keeps no other statement waiting.
   */
  reports: Query
  /**
   * Runs `work` in a transaction, as the only writer for `name` over all servers. Its announcements are sent if and
   * when the transaction commits.
   * @throws Fault `conflict` if another writer holds the name too long; nothing was changed then.
   */
  exclusively: <T>(name: string, work: (tx: Tx, announce: Announce) => Promise<T>) => Promise<T>
  /** Short messages between the servers on this database. */
  signals: Signals
  /** To be added to this server's clock, if it differs from the database's by more than a second. */
  clockCorrectionMs: () => number
  /** The state of the database as known now, without a query. */
  standing: () => DatabaseHealth
  /** The embedded database as another process of this host uses it. Postgres is everybody's: they open it themselves. */
  lend?: Lend
  close: () => Promise<void>
}

/** The state of the database and of the connections to it, as far as it is known. */
export type DatabaseHealth = {
  /** The time since the database last answered, in milliseconds. */
  silentMs: number
  /** It takes no changes. */
  readOnly: boolean
  /** Statements can be sent to it: it neither refuses connections nor has been silent for too long. */
  isReachable: boolean
  /** Connections: in use, open and idle, and how many wait for one. */
  used: number
  idle: number
  waiting: number
}

/** Receives events of the database. */
export type Watch = {
  /** A connection that nobody was waiting on broke. */
  onError?: (error: Error) => void
  /** The database counts as away: it answered nothing at all for `database_silence_ms`. */
  onAway?: () => void
  /** The database answers again, after it answered nothing at all for so long. */
  onBack?: (awayMs: number) => void
  /** The database's clock is so far ahead of this server's, or behind it: its time is used from now on. */
  onClockSkew?: (offsetMs: number) => void
  /** The server did not take these settings of a session: it will not keep time of what they are for. */
  onUnset?: (names: string[]) => void
  /** A statement is done, or got no connection, and has no text then. @param error why it failed. */
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

/** Codes of Postgres (bad data, a broken constraint, a limit of the program) and of SQLite's driver. */
const refused = /^(2[23]...|54...|ERR_INVALID_ARG_(TYPE|VALUE)|ERR_OUT_OF_RANGE)$/

/** Whether a write failed because of its own values, so that a second try would fail too. */
export function isRefused(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (typeof code !== 'string') return false
  return refused.test(code) || /constraint failed|datatype mismatch|too big/.test(String(message))
}
