import { Fault } from '#platform/core/fault.ts'

/** An invalid field of a request: its path and a message. */
export type Problem = { path: string; message: string }

const maxProblems = 5

/** @throws Fault `invalid` with the paths and rules of all problems, if there are any. */
export function requireNoProblems(problems: Problem[]): void {
  if (problems.length === 0) return
  const messages = problems.slice(0, maxProblems).map(({ path, message }) => `${path}: ${message}`)
  const more = problems.length > maxProblems ? ` (and ${problems.length - maxProblems} more)` : ''
  throw new Fault('invalid', `Invalid request: ${messages.join('; ')}${more}`)
}
