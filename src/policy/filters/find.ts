import { findBuiltin } from './detectors/find-builtin.ts'
import { fold } from './fold.ts'
import type { Leaf } from './leaves.ts'
import { type CustomPattern, prepareCustomPattern } from './patterns/custom-pattern.ts'
import type { Rule } from './rules.ts'
import type { Span } from './span.ts'

/** The matches of one rule in one leaf, both by index. `places` has alternating starts and ends. */
export type Found = { rule: number; leaf: number; places: Int32Array }

/** A rule whose filter threw. */
export type FilterFailed = { failedRule: number }

/**
 * Applies the rules one after another to all texts, until a blocking rule matches. Synchronous; the time is linear in the
 * length of the texts.
 */
export function findIn(
  rules: readonly Rule[],
  leaves: readonly Leaf[],
  begins: (rule: number) => void = () => {},
): Found[] | FilterFailed {
  const found: Found[] = []
  const eyes = leaves.map((leaf) => contextKeyOf(leaf))
  for (const [rule, { matcher, userOnly, action }] of rules.entries()) {
    begins(rule)
    try {
      for (const [i, leaf] of leaves.entries()) {
        if (userOnly && !leaf.user) continue
        const spans = 'pattern' in matcher ? customPattern(matcher.pattern).find(leaf.text) : eyes[i]!(matcher.builtin)
        if (spans.length > 0)
          found.push({ rule, leaf: i, places: Int32Array.from(spans.flatMap(({ start, end }) => [start, end])) })
      }
      if (action === 'block' && found.length > 0) break
    } catch {
      return { failedRule: rule }
    }
  }
  return found
}

/** Returns a function that applies builtin filters to the folded text with the name of its field before it. */
function contextKeyOf({ text, context }: Leaf): (builtin: keyof typeof findBuiltin) => Span[] {
  const before = context === '' ? 0 : context.length + 2
  const seen = fold(before ? `${context}: ${text}` : text)
  return (builtin) => {
    const spans = seen.restore(findBuiltin[builtin](seen.text))
    if (before === 0) return spans
    return spans.flatMap(({ start, end }) =>
      end > before ? [{ start: Math.max(0, start - before), end: end - before }] : [],
    )
  }
}

const prepared = new Map<string, CustomPattern>()
const maxPrepared = 500

/** Returns a compiled pattern, cached while it is in use. */
function customPattern(pattern: string): CustomPattern {
  const cached = prepared.get(pattern)
  const ready = cached ?? prepareCustomPattern(pattern)
  if (cached) prepared.delete(pattern)
  prepared.set(pattern, ready)
  if (prepared.size > maxPrepared) prepared.delete(prepared.keys().next().value!)
  return ready
}
