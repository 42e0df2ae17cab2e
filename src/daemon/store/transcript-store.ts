import type { DatabaseSync } from 'node:sqlite'
import {
  type Entry,
  type Milestone,
  milestoneTypes,
  type SessionStatus,
  type SessionSummary,
} from '#interns/contract/transcript.ts'
import type { TranscriptLimits } from '../transcript/limits.ts'
import { TranscriptRetention } from './transcript-retention.ts'

/** The changes of a session that are written together. */
export type SessionChange = {
  sessionId: string
  title: string
  status: SessionStatus
  turns: number
  entries: Entry[]
}

/** The transcripts in the daemon's database. A write is atomic, and durable when it returns. */
export type TranscriptStore = {
  /** Returns the highest stored id or revision. Both are numbered by one counter. */
  lastId(): number
  write(changes: SessionChange[], at: number): void
  session(id: string): SessionSummary | undefined
  sessions(after: string | undefined, limit: number): SessionSummary[]
  entries(sessionId: string, after: number, limit: number): Entry[]
  changedSince(sessionId: string, revision: number, limit: number): Entry[]
  /** Returns the entries that start, pause or end a run and have changed since a revision. */
  milestones(revision: number, limit: number): Milestone[]
  /** The sessions with a run that has not ended. */
  unfinishedSessions(): SessionSummary[]
}

/** The condition of the partial index. SQLite uses the index only for queries with exactly this text. */
const isMilestone = `json_extract(entry, '$.type') IN (${milestoneTypes.map((type) => `'${type}'`).join(', ')})`

const schema = `
  CREATE TABLE IF NOT EXISTS transcripts (
    session_id TEXT PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL, turns INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, bytes INTEGER NOT NULL, dropped INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS transcripts_by_update ON transcripts (updated_at, session_id);
  CREATE TABLE IF NOT EXISTS transcript_entries (
    session_id TEXT NOT NULL, id INTEGER NOT NULL, revision INTEGER NOT NULL, bytes INTEGER NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (session_id, id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS transcript_entries_by_revision ON transcript_entries (session_id, revision);
  CREATE INDEX IF NOT EXISTS transcript_milestones ON transcript_entries (revision) WHERE ${isMilestone};
`

const summary = `session_id AS id, title, status, turns, created_at AS createdAt, updated_at AS updatedAt, dropped`

/** The approximate size of the other columns of an entry and of its rows in the indexes. */
const rowOverheadBytes = 100
/** The approximate size of an empty session. */
const sessionBytes = 500

export function openTranscriptStore(db: DatabaseSync, limits: TranscriptLimits): TranscriptStore {
  db.exec(schema)
  const saveSession = db.prepare(`INSERT INTO transcripts VALUES (?1, ?2, ?3, ?4, ?5, ?5, ${sessionBytes}, 0)
    ON CONFLICT DO UPDATE SET title = ?2, status = ?3, turns = ?4, updated_at = ?5`)
  const sizeOf = db.prepare('SELECT bytes FROM transcript_entries WHERE session_id = ? AND id = ?')
  const saveEntry = db.prepare('INSERT OR REPLACE INTO transcript_entries VALUES (?, ?, ?, ?, ?)')
  const retention = new TranscriptRetention(db, limits)

  const writeEntry = (sessionId: string, entry: Entry) => {
    const text = JSON.stringify(entry)
    const bytes = Buffer.byteLength(text) + rowOverheadBytes
    const before = sizeOf.get(sessionId, entry.id) as { bytes: number } | undefined
    saveEntry.run(sessionId, entry.id, entry.revision, bytes, text)
    retention.adjustSize(sessionId, bytes - (before?.bytes ?? 0))
  }
  const sessionById = db.prepare(`SELECT ${summary} FROM transcripts WHERE session_id = ?`)
  const page = db.prepare(`SELECT ${summary} FROM transcripts ORDER BY updated_at DESC, session_id DESC LIMIT ?`)
  const nextPage = db.prepare(`SELECT ${summary} FROM transcripts
    WHERE (updated_at, session_id) < (SELECT updated_at, session_id FROM transcripts WHERE session_id = ?)
    ORDER BY updated_at DESC, session_id DESC LIMIT ?`)
  const unfinishedSummaries = db.prepare(`SELECT ${summary} FROM transcripts WHERE status <> 'idle'`)
  const entriesInOrder = db.prepare(
    'SELECT entry FROM transcript_entries WHERE session_id = ? AND id > ? ORDER BY id LIMIT ?',
  )
  const changedEntries = db.prepare(
    'SELECT entry FROM transcript_entries WHERE session_id = ? AND revision > ? ORDER BY revision LIMIT ?',
  )
  const milestones = db.prepare(`SELECT session_id AS sessionId, entry FROM transcript_entries
    WHERE revision > ? AND ${isMilestone} ORDER BY revision LIMIT ?`)
  const highest = db.prepare('SELECT coalesce(max(max(id), max(revision)), 0) AS last FROM transcript_entries')
  const parseEntries = (rows: unknown[]) => rows.map((row) => JSON.parse((row as { entry: string }).entry) as Entry)

  return {
    lastId: () => (highest.get() as { last: number }).last,
    write: (changes, at) => {
      db.exec('BEGIN IMMEDIATE')
      try {
        for (const { sessionId, title, status, turns, entries } of changes) {
          saveSession.run(sessionId, title, status, turns, at)
          for (const entry of entries) writeEntry(sessionId, entry)
        }
        retention.enforceLimits(
          changes.map(({ sessionId }) => sessionId),
          at,
        )
        db.exec('COMMIT')
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK')
        throw error
      }
    },
    session: (id) => sessionById.get(id) as SessionSummary | undefined,
    sessions: (after, limit) =>
      (after === undefined ? page.all(limit) : nextPage.all(after, limit)) as SessionSummary[],
    entries: (sessionId, after, limit) => parseEntries(entriesInOrder.all(sessionId, after, limit)),
    changedSince: (sessionId, revision, limit) => parseEntries(changedEntries.all(sessionId, revision, limit)),
    milestones: (revision, limit) =>
      (milestones.all(revision, limit) as { sessionId: string; entry: string }[]).map(({ sessionId, entry }) => ({
        sessionId,
        entry: JSON.parse(entry) as Milestone['entry'],
      })),
    unfinishedSessions: () => unfinishedSummaries.all() as SessionSummary[],
  }
}
