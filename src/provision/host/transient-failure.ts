import { isTransient } from './processes.ts'

/** A transient reason for which an intern could not be started: the start is retried. */
export class TransientFailure extends Error {
  readonly isPassing = true
}

/** Whether a failed start is worth a retry. Unknown errors are not: they are reported to the caller. */
export function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('isPassing' in error && error.isPassing === true) || isTransient(error) || isTransientFailure(error.cause)
}
