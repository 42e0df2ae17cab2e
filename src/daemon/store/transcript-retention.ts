import type { DatabaseSync } from 'node:sqlite'
import type { TranscriptLimits } from '../transcript/limits.ts'

/**
 * Deletes the oldest entries of transcripts that exceed their limits. The tables are those of `transcript-store.ts`. Call both methods
 * in the transaction that writes entries.
 */
export class TranscriptRetention {
  readonly #limits: TranscriptLimits
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(db: DatabaseSync, limits: TranscriptLimits) {
    this.#limits = limits
    this.#statements = prepareStatements(db)
  }

  /** Adds to the size of a session, also a negative number, and to the number of its deleted entries. */
  adjustSize(sessionId: string, bytes: number, dropped = 0): void {
    this.#statements.addSize.run(sessionId, bytes, dropped)
  }

  /**
   * Deletes expired sessions, then the oldest entries of written sessions that are too large, then the oldest entries of the
   * sessions that were not updated for the longest time.
   */
  enforceLimits(writtenSessions: string[], at: number): void {
    this.#deleteExpired(at)
    for (const sessionId of writtenSessions) this.#limitSession(sessionId)
    this.#limitTotal()
  }

  #deleteExpired(at: number): void {
    const rows = this.#statements.expiredSessions.all(at - this.#limits.transcriptMs) as { id: string }[]
    for (const { id } of rows) this.#deleteSession(id)
  }

  #limitSession(sessionId: string): void {
    const excess = () => bytesIn(this.#statements.bytesOf.get(sessionId)) - this.#limits.maxSessionTranscriptBytes
    while (excess() > 0 && this.#dropOldEntries(sessionId, excess()));
  }

  #limitTotal(): void {
    const excess = () => bytesIn(this.#statements.totalSize.get()) - this.#limits.maxTranscriptBytes
    while (excess() > 0) {
      const oldest = this.#statements.leastRecentlyUpdated.get() as { id: string } | undefined
      if (!oldest) return
      if (!this.#dropOldEntries(oldest.id, excess())) this.#deleteSession(oldest.id)
    }
  }

  /** Deletes up to 100 of the oldest entries of a session. @returns whether there were any. */
  #dropOldEntries(sessionId: string, bytes: number): boolean {
    let excess = bytes
    const dropped: number[] = []
    for (const entry of this.#statements.oldestEntries.all(sessionId) as { id: number; bytes: number }[]) {
      if (excess <= 0) break
      this.#statements.dropEntry.run(sessionId, entry.id)
      dropped.push(entry.bytes)
      excess -= entry.bytes
    }
    this.adjustSize(sessionId, -dropped.reduce((sum, size) => sum + size, 0), dropped.length)
    return dropped.length > 0
  }

  #deleteSession(id: string): void {
    this.#statements.deleteEntries.run(id)
    this.#statements.deleteSession.run(id)
  }
}

const bytesIn = (row: unknown) => (row as { bytes: number } | undefined)?.bytes ?? 0

const prepareStatements = (db: DatabaseSync) => ({
  addSize: db.prepare('UPDATE transcripts SET bytes = bytes + ?2, dropped = dropped + ?3 WHERE session_id = ?1'),
  bytesOf: db.prepare('SELECT bytes FROM transcripts WHERE session_id = ?'),
  totalSize: db.prepare('SELECT coalesce(sum(bytes), 0) AS bytes FROM transcripts'),
  oldestEntries: db.prepare('SELECT id, bytes FROM transcript_entries WHERE session_id = ? ORDER BY id LIMIT 100'),
  dropEntry: db.prepare('DELETE FROM transcript_entries WHERE session_id = ? AND id = ?'),
  leastRecentlyUpdated: db.prepare('SELECT session_id AS id FROM transcripts ORDER BY updated_at, session_id LIMIT 1'),
  expiredSessions: db.prepare(
    `SELECT session_id AS id FROM transcripts WHERE updated_at < ? AND status = 'idle' LIMIT 100`,
  ),
  deleteEntries: db.prepare('DELETE FROM transcript_entries WHERE session_id = ?'),
  deleteSession: db.prepare('DELETE FROM transcripts WHERE session_id = ?'),
})
