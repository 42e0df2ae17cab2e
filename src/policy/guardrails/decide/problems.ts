import { Fault } from '#platform/core/fault.ts'

/** An invalid field of a request: its path and a message. */
export type Problem = { path: string; message: string }

/** The stored form of a part of a request, and what is invalid in it. */
export type Checked<Value> = { value: Value; problems: readonly Problem[] }

export const maxListedProblems = 5

/** @throws Fault `invalid` with the paths and rules of all problems, if there are any. */
export function requireNoProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const messages = problems.slice(0, maxListedProblems).map(({ path, message }) => `${path}: ${message}`)
  const more = problems.length > maxListedProblems ? ` (and ${problems.length - maxListedProblems} more)` : ''
  throw new Fault('invalid', `Invalid request: ${messages.join('; ')}${more}`)
}
