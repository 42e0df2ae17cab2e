import { findBuiltin } from './detectors/find-builtin.ts'
import { fold } from './fold.ts'
import { type CustomPattern, compileCustomPattern } from './patterns/custom-pattern.ts'
import type { FilterRule } from './rules.ts'
import type { Span } from './span.ts'
import type { Leaf } from './texts/leaves.ts'

/** The matches of one rule in one leaf, both by index. `bounds` has alternating starts and ends. */
export type LeafMatches = { rule: number; leaf: number; bounds: Int32Array }

/** A rule whose filter threw. */
export type FailedFilter = { failedRule: number }

/**
 * Applies the rules one after another to all texts, until a blocking rule matches. Synchronous; the time is linear in the
 * length of the texts.
 * @param rules strictest first, so that all matches are of blocking rules while a blocking rule is applied.
 */
export function applyRules(
  rules: readonly FilterRule[],
  leaves: readonly Leaf[],
  onRuleStart: (rule: number) => void = () => {},
): LeafMatches[] | FailedFilter {
  const matches: LeafMatches[] = []
  const builtinFinders = leaves.map((leaf) => createBuiltinFinder(leaf))
  for (const [rule, { matcher, isUserOnly, action }] of rules.entries()) {
    onRuleStart(rule)
    try {
      for (const [i, leaf] of leaves.entries()) {
        if (isUserOnly && !leaf.isByUser) continue
        const spans =
          'pattern' in matcher
            ? getCompiledPattern(matcher.pattern).find(leaf.text)
            : builtinFinders[i]!(matcher.builtin)
        if (spans.length > 0)
          matches.push({ rule, leaf: i, bounds: Int32Array.from(spans.flatMap(({ start, end }) => [start, end])) })
      }
      if (action === 'block' && matches.length > 0) break
    } catch {
      return { failedRule: rule }
    }
  }
  return matches
}

/** Returns a function that applies builtin filters to the folded text with the name of its field before it. */
function createBuiltinFinder({ text, context }: Leaf): (builtin: keyof typeof findBuiltin) => Span[] {
  const prefixLength = context === '' ? 0 : context.length + 2
  const folded = fold(prefixLength ? `${context}: ${text}` : text)
  return (builtin) => {
    const spans = folded.restore(findBuiltin[builtin](folded.text))
    if (prefixLength === 0) return spans
    return spans.flatMap(({ start, end }) =>
      end > prefixLength ? [{ start: Math.max(0, start - prefixLength), end: end - prefixLength }] : [],
    )
  }
}

const compiledPatterns = new Map<string, CustomPattern>()
const maxCompiledPatterns = 500

/** Compiles a pattern. Caches the patterns that were used last. */
function getCompiledPattern(pattern: string): CustomPattern {
  const compiled = compiledPatterns.get(pattern) ?? compileCustomPattern(pattern)
  // Moves the pattern to the end of the map, whose first pattern is the one that was used longest ago.
  compiledPatterns.delete(pattern)
  compiledPatterns.set(pattern, compiled)
  if (compiledPatterns.size > maxCompiledPatterns) compiledPatterns.delete(compiledPatterns.keys().next().value!)
  return compiled
}
