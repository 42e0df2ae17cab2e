import type { RE2JS } from 're2js'
import { type FindSpans, findMatches, type Span } from '../span.ts'
import { compilePattern } from './compile-pattern.ts'
import { isProvenLinear } from './linearity-proof.ts'
import { estimateSize } from './pattern-size.ts'
import { sourceOf } from './pattern-source.ts'
import { parsePattern } from './pattern-syntax.ts'

/**
 * `fast` is the JavaScript engine, which backtracks; `linear` takes linear time in the length of the text for every
 * pattern.
 */
type Engine = 'fast' | 'linear'

export type CustomPattern = { engine: Engine; find: FindSpans }

/** Patterns with more instructions are not proven, because that would take longer than it saves. */
const maxProvenSize = 1000

/**
 * Compiles a custom pattern, for the fast engine if it is proven to be linear there and both engines match the same.
 * Empty matches are skipped, because they contain nothing to redact.
 * @throws Error for a pattern that guardrails reject.
 */
export function compileCustomPattern(pattern: string): CustomPattern {
  const syntaxTree = estimateSize(pattern) <= maxProvenSize ? parsePattern(pattern) : undefined
  if (syntaxTree && isProvenLinear(syntaxTree)) {
    const regex = new RegExp(sourceOf(syntaxTree), 'gu')
    return { engine: 'fast', find: (text) => findMatches(text, regex) }
  }
  const compiled = compilePattern(pattern)
  if ('refusal' in compiled) throw new Error(`The pattern ${compiled.refusal}.`)
  return { engine: 'linear', find: (text) => linearMatches(text, compiled.regex) }
}

function linearMatches(text: string, regex: RE2JS): Span[] {
  const spans: Span[] = []
  const matcher = regex.matcher(text)
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    if (end > start) spans.push({ start, end })
  }
  return spans
}
