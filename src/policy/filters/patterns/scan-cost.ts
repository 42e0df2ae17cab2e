import type { Rule } from '../rules.ts'
import { estimateSize } from './pattern-size.ts'
import { isPlain } from './references.ts'

/** The maximum cost of a character in nanoseconds, by kind of filter. */
const builtinNs = 60
const patternNs = 100
const patternStepNs = 10
/** The cost of a rule for an empty text. */
const textNs = 3000

/** Preparing a larger pattern, mainly its proof, can block other requests. */
const maxHereSize = 60

/**
 * An upper bound of the time to scan these bodies, in milliseconds; infinite if the scan must not run on this thread.
 * Stops counting above `enoughMs`.
 */
export function estimateScanMs(rules: readonly Pick<Rule, 'matcher'>[], bodies: object, enoughMs: number): number {
  const eachNs = rules.reduce(
    (sum, { matcher }) => sum + ('pattern' in matcher ? patternCost(matcher.pattern) : builtinNs),
    0,
  )
  const enough = enoughMs * 1e6
  const enoughLeaves = enough / (rules.length * textNs)
  const open: unknown[] = [bodies]
  let ns = 0
  while (open.length > 0 && ns <= enough && eachNs < Number.POSITIVE_INFINITY) {
    const value = open.pop()
    if (typeof value === 'string') ns += value.length * eachNs + leavesIn(value, enoughLeaves) * rules.length * textNs
    else if (typeof value === 'number') ns += rules.length * textNs
    else if (Array.isArray(value)) for (const inner of value) open.push(inner)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        ns += name.length * eachNs + rules.length * (isPlain(name) ? 0 : textNs)
        open.push(inner)
      }
    }
  }
  return eachNs === Number.POSITIVE_INFINITY ? eachNs : ns / 1e6
}

/** The number of texts that are filtered separately. JSON is counted by its separators, up to `enough`. */
function leavesIn(text: string, enough: number): number {
  if (!/^\s*[[{]/.test(text) && !text.includes('\\u')) return 1
  let leaves = 1
  for (let at = 0; at < text.length && leaves <= enough; at++) if (separators.has(text.charCodeAt(at))) leaves++
  return leaves
}

/** The separators: a comma, a colon, a quote and an opening bracket. */
const separators: ReadonlySet<number> = new Set([...',:"['].map((character) => character.charCodeAt(0)))

/** The approximate memory of a value, in bytes. Objects that occur twice count once. */
export function sizeOf(value: unknown): number {
  const seen = new Set<unknown>()
  const open = [value]
  let bytes = 0
  while (open.length > 0) {
    const next = open.pop()
    bytes += typeof next === 'string' ? next.length : bytesOfValue
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    seen.add(next)
    for (const name in next) open.push(next[name as never])
  }
  return bytes
}

const bytesOfValue = 16

function patternCost(pattern: string): number {
  const size = estimateSize(pattern)
  return size > maxHereSize ? Number.POSITIVE_INFINITY : patternNs + patternStepNs * size
}
