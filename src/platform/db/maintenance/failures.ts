import { Fault } from '../../core/fault.ts'

/**
 * Codes of Postgres (connections refused, broken or ended) and of the sockets below it. With 55000 the database accepts no
 * connections, with 3D000 it does not exist, for example while a backup is restored.
 */
const unreachableCodes =
  /^(08...|53300|57P0[123]|55000|3D000|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)$/

/** Codes of Postgres: a statement, lock or transaction timed out, or there was a deadlock. */
const timeoutCodes = /^(57014|55P03|25P0[34]|40P01|40001)$/

/** Code of Postgres: the transaction is read-only, or the server a standby. */
export const readOnlyCode = '25006'

/** Codes of Postgres: its disk is full, or reading and writing fails. */
const diskCodes: Readonly<Record<string, DatabaseFailure>> = { '53100': 'disk_full', '58030': 'disk_failed' }

/** Failures by messages of the embedded database, whose errors all have one code. */
const embeddedMessages: readonly (readonly [RegExp, DatabaseFailure])[] = [
  [/^database or disk is full/, 'disk_full'],
  [/^disk I\/O error/, 'disk_failed'],
  [/^attempt to write a readonly database/, 'read_only'],
]

/** Whether a query failed because the database is unreachable, and not because of the query. */
export function isUnreachable(error: unknown): boolean {
  // `Object()`, because null or undefined can be thrown too.
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  if (typeof code === 'string') return unreachableCodes.test(code)
  return (
    typeof message === 'string' &&
    /connection (terminated|timeout)|timeout exceeded when trying to connect|timeout expired|is not queryable/i.test(
      message,
    )
  )
}

export const unreachableMessage = 'The database is unreachable. Try again shortly.'

const messages = {
  unreachable: unreachableMessage,
  too_slow: 'The database took too long. Try again shortly.',
  read_only: 'The database is read-only. Try again later.',
  disk_full: 'The database cannot store anything: its disk is full. Try again later.',
  disk_failed: 'The database cannot read or write its disk. Try again later.',
}

/** A problem of the database. */
export type DatabaseFailure = keyof typeof messages

export const databaseFailures = Object.keys(messages) as DatabaseFailure[]

/** Returns the problem of the database that caused an error; undefined if the query itself is wrong. */
export function findDatabaseFailure(error: unknown): DatabaseFailure | undefined {
  if (isUnreachable(error)) return 'unreachable'
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  if (typeof code !== 'string') return undefined
  if (timeoutCodes.test(code)) return 'too_slow'
  if (code === 'ERR_SQLITE_ERROR') return embeddedMessages.find(([pattern]) => pattern.test(String(message)))?.[1]
  return code === readOnlyCode ? 'read_only' : diskCodes[code]
}

/** Converts an error of an unusable database to a fault for the caller; undefined for other errors. */
export function toDatabaseFault(error: unknown): Fault | undefined {
  const failure = findDatabaseFailure(error)
  return failure && new Fault('unavailable', messages[failure])
}
