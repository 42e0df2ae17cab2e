import { Fault } from '#platform/core/fault.ts'

/** An invalid field of a request: its path and a message. */
export type Problem = { path: string; message: string }

export const maxListedProblems = 5

/** @throws Fault `invalid` with the paths and rules of all problems, if there are any. */
export function requireNoProblems(problems: Problem[]): void {
  if (problems.length === 0) return
  const messages = problems.slice(0, maxListedProblems).map(({ path, message }) => `${path}: ${message}`)
  const more = problems.length > maxListedProblems ? ` (and ${problems.length - maxListedProblems} more)` : ''
  throw new Fault('invalid', `Invalid request: ${messages.join('; ')}${more}`)
}
