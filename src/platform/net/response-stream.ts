import type { DisconnectSignal } from '../async/disconnect-signal.ts'

/** A streamed response. It opens with the first write, and reports when its reader is slow or has disconnected. */
export type ResponseStream = {
  /** Whether the first byte was sent. After that a failure can no longer become a status. */
  readonly opened: boolean
  /** Sets a header of the response, before it has opened. */
  header: (name: string, value: string) => void
  /** @returns false if the reader is slow: wait for `onDrain`. */
  write: (chunk: string | Buffer) => boolean
  /** Calls `listener` each time the reader has caught up. */
  onDrain: (listener: () => void) => void
  /** @param last is written together with the end. */
  end: (last?: Buffer) => void
  /** Aborts when the reader leaves before the end. */
  readonly signal: DisconnectSignal
}
