import { findBuiltin } from './detectors/find-builtin.ts'
import type { FilterRule } from './filter-rule.ts'
import { fold } from './fold.ts'
import { type CustomPattern, compileCustomPattern } from './patterns/custom-pattern.ts'
import type { Span } from './span.ts'
import type { Leaf } from './texts/leaves.ts'

/** The matches of one rule in one text of a request. */
export type RuleMatches = { rule: FilterRule; leaf: Leaf; spans: readonly Span[] }

type RuleResult = {
  matches: RuleMatches[]
  /** The rule whose filter threw. It ended the search. */
  failedRule: FilterRule | undefined
}

type ApplyOptions = {
  /** Ends the search after a blocking rule that matches. */
  stopsAtBlock: boolean
  /** Called with the index of each rule before it runs. */
  onRuleStart?: ((rule: number) => void) | undefined
}

/** Applies the rules one after another to all texts. Synchronous; the time is linear in the length of the texts. */
export function applyRules(
  rules: readonly FilterRule[],
  leaves: readonly Leaf[],
  { stopsAtBlock, onRuleStart }: ApplyOptions,
): RuleResult {
  const matches: RuleMatches[] = []
  const texts = leaves.map((leaf) => ({ leaf, findBuiltinSpans: createBuiltinFinder(leaf) }))
  for (const [index, rule] of rules.entries()) {
    const { matcher, isUserOnly, action } = rule
    onRuleStart?.(index)
    const countBefore = matches.length
    try {
      for (const { leaf, findBuiltinSpans } of texts) {
        if (isUserOnly && !leaf.isByUser) continue
        const spans =
          'pattern' in matcher ? getCompiledPattern(matcher.pattern).find(leaf.text) : findBuiltinSpans(matcher.builtin)
        if (spans.length > 0) matches.push({ rule, leaf, spans })
      }
    } catch {
      return { matches, failedRule: rule }
    }
    if (stopsAtBlock && action === 'block' && matches.length > countBefore) break
  }
  return { matches, failedRule: undefined }
}

/** Returns a function that applies builtin filters to the folded text, with the name of its field before it as context. */
function createBuiltinFinder({ text, context }: Leaf): (builtin: keyof typeof findBuiltin) => Span[] {
  const prefix = context === '' ? '' : `${context}: `
  const folded = fold(prefix + text)
  return (builtin) => {
    const spans = folded.restore(findBuiltin[builtin](folded.text))
    if (prefix === '') return spans
    return spans.flatMap(({ start, end }) =>
      end > prefix.length ? [{ start: Math.max(0, start - prefix.length), end: end - prefix.length }] : [],
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
  const [oldest] = compiledPatterns.keys()
  if (oldest !== undefined && compiledPatterns.size > maxCompiledPatterns) compiledPatterns.delete(oldest)
  return compiled
}
