import type { CharacterClass } from './character-class.ts'
import type { Assertion, Pattern } from './pattern-syntax.ts'

const assertions: Record<Assertion, string> = {
  textStart: '(?<![^])',
  textEnd: '(?![^])',
  lineStart: '(?<![^\\n])',
  lineEnd: '(?![^\\n])',
  wordBoundary: '\\b',
  noWordBoundary: '\\B',
}

/** Converts the pattern to JavaScript syntax (flag `u`), without constructs that differ between engines. */
export function sourceOf(pattern: Pattern): string {
  switch (pattern.type) {
    case 'character':
      return classSource(pattern.class)
    case 'assertion':
      return assertions[pattern.at]
    case 'sequence':
      return pattern.items.map(sourceOf).join('')
    case 'choice':
      return `(?:${pattern.items.map(sourceOf).join('|')})`
    case 'repeat': {
      const max = pattern.max === Number.POSITIVE_INFINITY ? '' : pattern.max
      return `(?:${sourceOf(pattern.item)}){${pattern.min},${max}}${pattern.lazy ? '?' : ''}`
    }
    default:
      return pattern satisfies never
  }
}

function classSource(ranges: CharacterClass): string {
  const [first] = ranges
  const isOneCharacter = ranges.length === 1 && first![0] === first![1]
  if (isOneCharacter) return pointSource(first![0])
  return `[${ranges.map(([a, b]) => (a === b ? pointSource(a) : `${pointSource(a)}-${pointSource(b)}`)).join('')}]`
}

function pointSource(code: number): string {
  return /[0-9A-Za-z]/.test(String.fromCodePoint(code)) ? String.fromCodePoint(code) : `\\u{${code.toString(16)}}`
}
