import { isTransient } from './processes.ts'

/** What an intern could not be started for is likely to be over in a moment: it is tried again. */
export class PassingFailure extends Error {
  readonly isPassing = true
}

/** Whether a start that failed so is worth another. What nothing is known of is told to whoever asked for the intern, and left. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('isPassing' in error && error.isPassing === true) || isTransient(error) || mayPass(error.cause)
}
