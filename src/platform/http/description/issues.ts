import type { z } from 'zod'
import { Fault } from '../../core/fault.ts'

type Issue = z.core.$ZodIssue

const maxIssues = 5
/** A client's own keys may be as long as its body. */
const maxNameLength = 80
/** Zod repeats every unknown key. */
const maxMessageLength = 1000

/** Converts the issues of a schema to one sentence: where, what is wrong, and what is expected. */
export function invalidRequest(issues: readonly Issue[]): Fault {
  const descriptions = issues.slice(0, maxIssues).map(describeIssue)
  const omittedNote = issues.length > maxIssues ? ` (and ${issues.length - maxIssues} more)` : ''
  return new Fault('invalid', `Invalid request: ${descriptions.join('; ')}${omittedNote}`)
}

function describeIssue(issue: Issue): string {
  const path = formatPath(issue.path)
  const message = isOtherBody(issue) ? 'the body must be a JSON object' : shorten(issue.message, maxMessageLength)
  return path ? `${path}: ${message}` : message
}

/** Whether the body is missing, or is a list or a string, and its schema has no custom message for that. */
const isOtherBody = ({ path, message }: Issue) =>
  path.length === 0 && /^(is missing: expected object$|expected object, received )/.test(message)

/** A path as in code: `policy.rules[2].slug`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    const name = String(step)
    const displayName = shorten(name, maxNameLength)
    return text ? `${text}.${displayName}` : displayName
  }, '')
}

function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}
