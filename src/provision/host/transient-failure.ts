import { Fault } from '#platform/core/fault.ts'
import { isTransient } from './processes.ts'

/** Whether a failed start is worth a retry. Unknown errors are not: they are reported to the caller. */
export function isTransientFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof Fault) return error.kind === 'unavailable'
  return ('isTransient' in error && error.isTransient === true) || isTransient(error) || isTransientFailure(error.cause)
}
