import type { FilterRule } from './filter-rule.ts'
import { estimateSize } from './patterns/pattern-size.ts'
import { isIdentifier } from './texts/references.ts'

/** The maximum time per character in nanoseconds: for a builtin filter, for a pattern, and for each instruction of a pattern. */
const builtinNs = 60
const patternNs = 100
const patternStepNs = 10
/** The cost of a rule for an empty text. */
const textNs = 3000

/** Compiling a larger pattern can block other requests, mainly the proof that it matches in linear time. */
const maxMainThreadSize = 60

/**
 * An upper bound of the time to scan these bodies, in milliseconds; infinite if the scan must not run on this thread.
 * Stops counting above `limitMs`.
 */
export function estimateScanMs(rules: readonly Pick<FilterRule, 'matcher'>[], bodies: object, limitMs: number): number {
  const nsPerCharacter = rules.reduce(
    (sum, { matcher }) => sum + ('pattern' in matcher ? patternCost(matcher.pattern) : builtinNs),
    0,
  )
  const maxNs = limitMs * 1e6
  const maxLeaves = maxNs / (rules.length * textNs)
  const pending: unknown[] = [bodies]
  let ns = 0
  while (pending.length > 0 && ns <= maxNs && nsPerCharacter < Number.POSITIVE_INFINITY) {
    const value = pending.pop()
    if (typeof value === 'string')
      ns += value.length * nsPerCharacter + countLeaves(value, maxLeaves) * rules.length * textNs
    else if (typeof value === 'number') ns += rules.length * textNs
    else if (Array.isArray(value)) for (const inner of value) pending.push(inner)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        ns += name.length * nsPerCharacter + rules.length * (isIdentifier(name) ? 0 : textNs)
        pending.push(inner)
      }
    }
  }
  return nsPerCharacter === Number.POSITIVE_INFINITY ? nsPerCharacter : ns / 1e6
}

/** The number of texts that are filtered separately. JSON is counted by its separators, up to `maxLeaves`. */
function countLeaves(text: string, maxLeaves: number): number {
  if (!/^\s*[[{]/.test(text) && !text.includes('\\u')) return 1
  let leaves = 1
  for (let at = 0; at < text.length && leaves <= maxLeaves; at++) if (separators.has(text.charCodeAt(at))) leaves++
  return leaves
}

/** The separators: a comma, a colon, a quote and an opening bracket. */
const separators: ReadonlySet<number> = new Set([...',:"['].map((character) => character.charCodeAt(0)))

/** The approximate memory of a value, in bytes. Objects that occur twice count once. */
export function estimateBytes(value: unknown): number {
  const visited = new Set<unknown>()
  const pending = [value]
  let bytes = 0
  while (pending.length > 0) {
    const current = pending.pop()
    bytes += typeof current === 'string' ? current.length : bytesOfValue
    if (typeof current !== 'object' || current === null || visited.has(current)) continue
    visited.add(current)
    for (const name in current) pending.push(current[name as never])
  }
  return bytes
}

const bytesOfValue = 16

function patternCost(pattern: string): number {
  const size = estimateSize(pattern)
  return size > maxMainThreadSize ? Number.POSITIVE_INFINITY : patternNs + patternStepNs * size
}
