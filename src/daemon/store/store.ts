import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TranscriptLimits } from '../transcript/limits.ts'
import { type DecisionStore, openDecisionStore } from './decision-store.ts'
import { openTranscriptStore, type TranscriptStore } from './transcript-store.ts'

/** The state could not be read or written, usually because the disk is full. The message is for the caller. */
export class StoreError extends Error {
  /** Whether another process has locked the store. */
  get isLocked(): boolean {
    return isLocked(this.cause)
  }
}

const isLocked = (error: unknown) => (error as Error | undefined)?.message === 'database is locked'

/** The time to wait for other processes that read the transcripts of a stopped intern. */
const lockTimeoutMs = 5000

export type StoredSession = { agentSessionId: string; costUsd: number | null }
export type StoredQuestion = { sessionId: string; runId: string }

/**
 * State that outlives the daemon: the agent's session for each session, and all questions, so that a late answer gets the
 * right error. Every write is durable when it returns.
 */
export type DaemonStore = {
  session(id: string): StoredSession | undefined
  saveSession(id: string, agentSessionId: string): void
  saveCost(id: string, costUsd: number): void
  question(id: string): StoredQuestion | undefined
  saveQuestion(id: string, question: StoredQuestion & { deadlineAt: number }): void
  /** Deletes questions whose deadline was before a time. */
  forgetQuestions(before: number): void
  transcripts: TranscriptStore
  decisions: DecisionStore
  close(): void
}

const schema = `
  CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, agent_session_id TEXT NOT NULL, cost_usd REAL) STRICT;
  CREATE TABLE IF NOT EXISTS questions (
    id TEXT PRIMARY KEY, session_id TEXT NOT NULL, run_id TEXT NOT NULL, deadline_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS questions_by_deadline ON questions (deadline_at);
`

/** @throws StoreError if another daemon has locked the store, or if the folder cannot be written. */
export function openStore(folder: string, limits: TranscriptLimits): DaemonStore {
  return withStoreErrors('open', () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const db = new DatabaseSync(join(folder, 'daemon.sqlite'), { timeout: lockTimeoutMs })
    try {
      // Exclusive: one process per folder, and no shared-memory file that a full disk could damage.
      db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
      // At most 1 MiB of disk for an empty journal, and 512 KiB of memory for cached pages: a host can run many daemons.
      db.exec('PRAGMA journal_size_limit = 1048576; PRAGMA cache_size = -512')
      db.exec(schema)
      return createStore(db, limits)
    } catch (error) {
      // The connection can already have the lock, which would block the next process.
      db.close()
      throw error
    }
  })
}

function createStore(db: DatabaseSync, limits: TranscriptLimits): DaemonStore {
  const statement = (sql: string) => {
    const prepared = db.prepare(sql)
    return (...values: (string | number)[]) => withStoreErrors('save', () => prepared.run(...values))
  }
  const saveSession = statement(
    'INSERT INTO sessions VALUES (?, ?, NULL) ON CONFLICT DO UPDATE SET agent_session_id = excluded.agent_session_id, cost_usd = NULL',
  )
  const saveCost = statement('UPDATE sessions SET cost_usd = ?2 WHERE id = ?1')
  const saveQuestion = statement('INSERT INTO questions VALUES (?, ?, ?, ?)')
  const forgetQuestions = statement('DELETE FROM questions WHERE deadline_at < ?')
  const session = db.prepare(
    'SELECT agent_session_id AS agentSessionId, cost_usd AS costUsd FROM sessions WHERE id = ?',
  )
  const question = db.prepare('SELECT session_id AS sessionId, run_id AS runId FROM questions WHERE id = ?')

  return {
    session: (id) => session.get(id) as StoredSession | undefined,
    saveSession,
    saveCost,
    question: (id) => question.get(id) as StoredQuestion | undefined,
    saveQuestion: (id, { sessionId, runId, deadlineAt }) => saveQuestion(id, sessionId, runId, deadlineAt),
    forgetQuestions,
    transcripts: openTranscriptStore(db, limits),
    decisions: openDecisionStore(db),
    close: () => db.close(),
  }
}

function withStoreErrors<T>(operation: 'open' | 'save', act: () => T): T {
  try {
    return act()
  } catch (error) {
    const reason = isLocked(error) ? 'another daemon of this intern is running' : (error as Error).message
    throw new StoreError(`The intern could not ${operation} its state: ${reason}.`, { cause: error })
  }
}
