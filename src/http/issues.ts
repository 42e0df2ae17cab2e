import type { z } from 'zod'
import { Fault } from '#lib/fault.ts'

type Issue = z.core.$ZodIssue

const maxTold = 5
/** A client's own keys may be as long as its body. */
const maxNameTold = 80
/** Zod repeats every name it does not know. */
const maxMessageTold = 1000

/** Turns what a schema found into one sentence a client can act on: where, what was wrong, what would be right. */
export function invalidRequest(issues: readonly Issue[]): Fault {
  const told = issues.slice(0, maxTold).map(describeIssue)
  const more = issues.length > maxTold ? ` (and ${issues.length - maxTold} more)` : ''
  return new Fault('invalid', `Invalid request: ${told.join('; ')}${more}`)
}

function describeIssue(issue: Issue): string {
  const where = pathOf(issue.path)
  const what = shortened(issue.message.replace(/^Invalid input: /, ''), maxMessageTold)
  return where ? `${where}: ${what}` : what
}

/** `policy.rules[2].slug`, as one would write it in code. */
function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    const name = String(step)
    const shown = shortened(name, maxNameTold)
    return text ? `${text}.${shown}` : shown
  }, '')
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}
