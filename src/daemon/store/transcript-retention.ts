import type { DatabaseSync } from 'node:sqlite'
import type { TranscriptLimits } from '../transcript/limits.ts'

/** Keeps transcripts within their limits. Call both functions in the transaction that writes. */
type TranscriptRetention = {
  /** Adds to the size of a session, and to the number of its deleted entries. */
  grow(sessionId: string, bytes: number, dropped?: number): void
  /**
   * Deletes expired sessions, then the oldest entries of written sessions that are too large, then the oldest entries of the
   * sessions that were idle longest.
   */
  enforceLimits(writtenSessions: string[], at: number): void
}

/** Uses the tables of `openTranscriptStore`. */
export function createRetention(db: DatabaseSync, limits: TranscriptLimits): TranscriptRetention {
  const addSize = db.prepare('UPDATE transcripts SET bytes = bytes + ?2, dropped = dropped + ?3 WHERE session_id = ?1')
  const bytesOf = db.prepare('SELECT bytes FROM transcripts WHERE session_id = ?')
  const totalSize = db.prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM transcripts')
  const oldestEntries = db.prepare(
    'SELECT id, bytes FROM transcript_entries WHERE session_id = ? ORDER BY id LIMIT 100',
  )
  const dropEntry = db.prepare('DELETE FROM transcript_entries WHERE session_id = ? AND id = ?')
  const longestIdle = db.prepare('SELECT session_id AS id FROM transcripts ORDER BY updated_at, session_id LIMIT 1')
  const expiredSessions = db.prepare(
    `SELECT session_id AS id FROM transcripts WHERE updated_at < ? AND status = 'idle' LIMIT 100`,
  )
  const forgetEntries = db.prepare('DELETE FROM transcript_entries WHERE session_id = ?')
  const forgetSession = db.prepare('DELETE FROM transcripts WHERE session_id = ?')

  const grow = (sessionId: string, bytes: number, dropped = 0) => void addSize.run(sessionId, bytes, dropped)
  /** Deletes up to 100 of the oldest entries of a session. @returns whether there were any. */
  const dropOldEntries = (sessionId: string, bytes: number) => {
    let excess = bytes
    const dropped: number[] = []
    for (const entry of oldestEntries.all(sessionId) as { id: number; bytes: number }[]) {
      if (excess <= 0) break
      dropEntry.run(sessionId, entry.id)
      dropped.push(entry.bytes)
      excess -= entry.bytes
    }
    grow(sessionId, -dropped.reduce((sum, size) => sum + size, 0), dropped.length)
    return dropped.length > 0
  }
  const deleteSession = (id: string) => {
    forgetEntries.run(id)
    forgetSession.run(id)
  }
  const enforceLimits = (writtenSessions: string[], at: number) => {
    for (const { id } of expiredSessions.all(at - limits.transcriptMs) as { id: string }[]) deleteSession(id)
    const bytesIn = (row: unknown) => (row as { bytes: number } | undefined)?.bytes ?? 0
    for (const sessionId of writtenSessions) {
      const excess = () => bytesIn(bytesOf.get(sessionId)) - limits.maxSessionTranscriptBytes
      while (excess() > 0 && dropOldEntries(sessionId, excess()));
    }
    const excess = () => bytesIn(totalSize.get()) - limits.maxTranscriptBytes
    while (excess() > 0) {
      const oldest = longestIdle.get() as { id: string } | undefined
      if (!oldest) break
      if (!dropOldEntries(oldest.id, excess())) deleteSession(oldest.id)
    }
  }
  return { grow, enforceLimits }
}
