import type { LeaveSignal } from '../async/leave-signal.ts'

/** A streamed response: it opens with the first write, and tells when its reader is slow or gone. */
export type ResponseStream = {
  /** Whether the first byte was sent. After that a failure can no longer become a status. */
  readonly opened: boolean
  /** Sets a header of the answer, streamed or not; too late once it has opened. */
  header: (name: string, value: string) => void
  /** @returns false when the reader is slow: hold back until it has drained. */
  write: (chunk: string | Buffer) => boolean
  /** Calls `listener` each time the reader has caught up. */
  onDrain: (listener: () => void) => void
  /** @param last goes with the end, in one write. */
  end: (last?: Buffer) => void
  /** Aborts when the reader leaves before the end. */
  readonly signal: LeaveSignal
}
