import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type DecisionStore, openDecisionStore } from './decision-store.ts'
import type { TranscriptLimits } from './transcript/limits.ts'
import { openTranscriptStore, type TranscriptStore } from './transcript/store.ts'

/** The state folder took no more: a full disk, most often. The message is for the caller of a turn. */
export class StoreFailed extends Error {}

export type KnownSession = { agentSessionId: string; costUsd: number | null }
export type KnownQuestion = { sessionId: string; runId: string }

/**
 * State that outlives the daemon: the agent's session for each session, and the questions that were ever asked, so that
 * a late answer gets the true reason. Every write is on the disk when it returns.
 */
export type DaemonStore = {
  session(id: string): KnownSession | undefined
  saveSession(id: string, agentSessionId: string): void
  saveCost(id: string, costUsd: number): void
  question(id: string): KnownQuestion | undefined
  saveQuestion(id: string, question: KnownQuestion & { deadlineAt: number }): void
  /** Forgets questions whose deadline passed before an instant. */
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

/** Throws `StoreFailed` when another daemon holds the folder, or it cannot be written. */
export function openStore(folder: string, limits: TranscriptLimits): DaemonStore {
  const db = guard(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const opened = new DatabaseSync(join(folder, 'daemon.sqlite'), { timeout: 0 })
    // Exclusive: one daemon to a folder, and no shared-memory file that a full disk could tear.
    opened.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    opened.exec('PRAGMA journal_size_limit = 1048576; PRAGMA cache_size = -512')
    opened.exec(schema)
    return opened
  })
  const statement = (sql: string) => {
    const prepared = db.prepare(sql)
    return (...values: (string | number)[]) => guard(() => prepared.run(...values))
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
    session: (id) => session.get(id) as KnownSession | undefined,
    saveSession,
    saveCost,
    question: (id) => question.get(id) as KnownQuestion | undefined,
    saveQuestion: (id, { sessionId, runId, deadlineAt }) => saveQuestion(id, sessionId, runId, deadlineAt),
    forgetQuestions,
    transcripts: guard(() => openTranscriptStore(db, limits)),
    decisions: guard(() => openDecisionStore(db)),
    close: () => db.close(),
  }
}

function guard<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    const { message } = error as Error
    const why = message === 'database is locked' ? 'another daemon of this intern is running' : message
    throw new StoreFailed(`The intern could not save its state: ${why}.`, { cause: error })
  }
}
