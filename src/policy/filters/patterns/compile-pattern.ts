import { RE2JS } from 're2js'
import { estimateSize } from './pattern-size.ts'

/** A compiled custom pattern. The time of matching is linear in the text for any pattern. */
type CompiledPattern = { regex: RE2JS; size: number }

/** The maximum number of instructions of a pattern, and of steps per character. */
const maxSize = 20_000

/** A larger pattern is not compiled, because that could take seconds. The estimate is not exact, so it may exceed `maxSize`. */
const maxEstimatedSize = 1.5 * maxSize

/** Each `\p{…}` copies a table of hundreds of ranges; thousands of them would block the service for a second. */
const maxUnicodeClasses = 200

/**
 * Compiles a custom pattern in RE2 syntax, flags inline: `(?i)secret`.
 * @returns the pattern, or the reason why it is refused. Either within a tenth of a second.
 */
export function compilePattern(pattern: string): CompiledPattern | { refusal: string } {
  if (estimateSize(pattern) > maxEstimatedSize) return { refusal: tooLarge }
  if ((pattern.match(/\\[pP]/g)?.length ?? 0) > maxUnicodeClasses) {
    return { refusal: `has more than ${maxUnicodeClasses} Unicode classes (\\p)` }
  }
  try {
    const regex = RE2JS.compile(pattern)
    const size = regex.programSize()
    return size > maxSize ? { refusal: tooLarge } : { regex, size }
  } catch (error) {
    return { refusal: refusalReason((error as Error).message, pattern) }
  }
}

const tooLarge = `is too large: its repetitions have more than ${maxSize} steps in total; use smaller counts`

/** The engine's error message, or a custom one for syntax that only backtracking engines support. */
function refusalReason(message: string, pattern: string): string {
  const [, detail = message, fragment = ''] = /^error parsing regexp: (.*?)(?:: `(.*)`)?$/s.exec(message) ?? []
  const lookAround = /^\(\?<?[=!]/.exec(fragment)?.[0]
  if (lookAround) {
    return `look-around (${lookAround}) is not supported: patterns run on a linear-time engine`
  }
  const reference = /^\\[1-9kg]/.exec(fragment)?.[0] ?? (fragment === '(?P' ? /\(\?P=/.exec(pattern)?.[0] : undefined)
  if (reference) {
    return `back-references (${reference}) are not supported: patterns run on a linear-time engine`
  }
  const excerpt = fragment.length > 60 ? `${fragment.slice(0, 60)}…` : fragment
  return `is not a pattern the linear-time engine (RE2 syntax) can run: ${detail}${excerpt && `: ${excerpt}`}`
}
