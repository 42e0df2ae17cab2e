import type { ErrorEvent } from './response-failure.ts'

/** The body of a response whose status is an error. */
type ErrorBody = { type: 'error_body'; text: string }

/** How a response ended: complete, broken off, or with an error that its provider reported in an event or by the status. */
export type ResponseEnd = 'complete' | 'too_early' | ErrorEvent | ErrorBody

/** Reads the body of one response as it arrives, and delivers its content. */
export type ResponseReader = {
  /** @returns undefined while more can follow. @throws Error for a response that cannot be read. */
  push: (chunk: Buffer) => ResponseEnd | undefined
  /** Reads the end of the body. @throws Error for a response that cannot be read. */
  end: () => ResponseEnd
  /** Stops timers. Called after the attempt has ended. */
  dispose?: () => void
}
