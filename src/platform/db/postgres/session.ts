import type { Config } from '../../config/settings.ts'
import { type Connection, isServerError } from './connection.ts'

/** The settings of the connections to Postgres. */
export type ConnectionSettings = Pick<
  Config,
  | 'database_statement_timeout_ms'
  | 'database_lock_timeout_ms'
  | 'database_idle_transaction_timeout_ms'
  | 'database_query_timeout_ms'
  | 'database_keepalive_ms'
  | 'database_silence_ms'
  | 'database_pool_size'
>

/** The settings that Postgres enforces. This process enforces the other timeouts. */
type SessionTimeouts = Pick<
  ConnectionSettings,
  | 'database_statement_timeout_ms'
  | 'database_lock_timeout_ms'
  | 'database_idle_transaction_timeout_ms'
  | 'database_keepalive_ms'
>
type Session = Record<string, number>

/**
 * Time limits that Postgres enforces. If this host dies within a transaction, its locks must not last for the two hours
 * after which TCP gives up.
 */
export function sessionSettings(timeouts: SessionTimeouts): Session {
  return {
    statement_timeout: timeouts.database_statement_timeout_ms,
    lock_timeout: timeouts.database_lock_timeout_ms,
    idle_in_transaction_session_timeout: timeouts.database_idle_transaction_timeout_ms,
    ...keepaliveSettings(timeouts),
  }
}

/** Removes the time limits for migrations, also those that the operator set for the role or the database. */
export function sessionWithoutTimeouts(timeouts: SessionTimeouts): Session {
  return {
    statement_timeout: 0,
    lock_timeout: 0,
    idle_in_transaction_session_timeout: 0,
    ...keepaliveSettings(timeouts),
  }
}

function keepaliveSettings({ database_keepalive_ms: silenceMs }: SessionTimeouts): Session {
  const seconds = Math.max(1, Math.round(silenceMs / 1000))
  // `tcp_user_timeout` is for unacknowledged data. It is as long as the probes: the idle time and three intervals of half of it.
  return {
    tcp_keepalives_idle: seconds,
    tcp_keepalives_interval: Math.max(1, Math.round(seconds / 2)),
    tcp_keepalives_count: 3,
    tcp_user_timeout: Math.round(2.5 * silenceMs),
  }
}

/** The settings that Postgres ignores on a connection by a Unix socket. */
const isOfTcp = (name: string) => name.startsWith('tcp_')

/**
 * Applies settings in one round trip after the session has started, because poolers reject settings in the startup packet.
 * @returns the names of settings that the server rejected.
 */
export async function applySession(connection: Connection, session: Session): Promise<string[]> {
  const settings = Object.entries(session).filter(([name]) => !(connection.isSocket && isOfTcp(name)))
  const statement = `
    select name, set_config(name, wanted.value, false) as value
    from json_each_text($1::json) as wanted (name, value) join pg_settings using (name)`
  try {
    const { rows } = await connection.query(statement, [JSON.stringify(Object.fromEntries(settings))])
    const applied = new Map<string, string>(
      rows.map(({ name, value }: { name: string; value: string }) => [name, value]),
    )
    // A setting that the server does not know is missing, and one that it ignored has the value 0.
    const isRejected = ([name, value]: [string, number]) => value !== 0 && (applied.get(name) ?? '0') === '0'
    return settings.filter(isRejected).map(([name]) => name)
  } catch {
    // One rejected setting makes the whole statement fail.
    return setOneByOne(connection, settings)
  }
}

async function setOneByOne(connection: Connection, settings: [string, number][]): Promise<string[]> {
  const refused: string[] = []
  for (const [name, value] of settings) {
    try {
      await connection.query('select set_config($1, $2, false)', [name, String(value)])
    } catch (error) {
      // A connection failure does not mean that the setting is rejected.
      if (!isServerError(error)) throw error
      refused.push(name)
    }
  }
  return refused
}
