import type { Notification } from '../signals.ts'

export type StatementResult = { rows: Record<string, unknown>[]; changes: number }

/** A statement of another process. `report`: whether it runs on the read-only connection, as reports do. */
export type SessionStatement = { sql: string; parameters: readonly unknown[]; report?: boolean }

/** The connection of another process to the embedded database. */
export type Session = {
  /** Runs a statement, in the order of the calls. @throws the error of SQLite. */
  run: (statement: SessionStatement) => Promise<StatementResult>
  /** Adds notifications, which are sent to all processes when the open transaction commits. */
  publish: (notifications: readonly Notification[]) => void
  /** Rolls back the open transaction, because the process has ended. */
  end: () => Promise<void>
}

/**
 * The function by which the process with the embedded database opens it for a worker process.
 * @param notify sends notifications to that process, and resolves when it has received them.
 */
export type OpenDatabaseSession = (notify: (notifications: readonly Notification[]) => Promise<void>) => Session
