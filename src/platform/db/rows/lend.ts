import type { Announcement } from '../signals.ts'

export type Rows = { rows: Record<string, unknown>[]; changes: number }

/** One statement of another process. `report` is for the connection that only reads. */
export type SessionStatement = { sql: string; parameters: readonly unknown[]; report?: boolean }

/** The embedded database as one other process uses it. */
export type Session = {
  /** Statements run in the order in which they were sent. @throws what SQLite said. */
  run: (statement: SessionStatement) => Promise<Rows>
  /** Announcements for every process, sent if and when the open transaction commits. */
  announce: (announcements: readonly Announcement[]) => void
  /** The process is gone. Its open transaction is undone. */
  end: () => Promise<void>
}

/**
 * Opens the database for another process.
 * @param hear sends it the announcements, and resolves when it has received them.
 */
export type Lend = (hear: (announcements: readonly Announcement[]) => Promise<void>) => Session
