import type { ErrorEvent } from './answer-failure.ts'

/** The body of an answer whose status is an error. */
type ErrorBody = { type: 'error_body'; text: string }

/** How an answer ended: complete, broken off, or with an error that its provider reported in an event or by the status. */
export type AnswerEnd = 'complete' | 'too_early' | ErrorEvent | ErrorBody

/** Reads the body of one answer as it arrives, and delivers its content. */
export type AnswerReader = {
  /** @returns undefined while more can follow. @throws Error for an answer that cannot be read. */
  push: (chunk: Buffer) => AnswerEnd | undefined
  /** Reads the end of the body. @throws Error for an answer that cannot be read. */
  end: () => AnswerEnd
  /** Stops timers. Called after the attempt has ended. */
  dispose?: () => void
}
