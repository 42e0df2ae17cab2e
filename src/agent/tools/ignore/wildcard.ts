import { matchesParts } from '#platform/text/wildcards.ts'

type PatternItem = '*' | '?' | { literal: string } | { set: string; isNegated: boolean }

/** Matches a name in a path against a pattern with `*`, `?`, `[a-z]` and `\`. */
type NamePattern = (name: string) => boolean

/** Compiles a pattern for one name. */
export function compileNamePattern(glob: string): NamePattern {
  const items = parsePattern(glob)
  if (items.every((one) => typeof one === 'object' && 'literal' in one)) {
    const literal = items.map((one) => (one as { literal: string }).literal).join('')
    return (name) => name === literal
  }
  return (name) => matchesParts(items, [...name], { isWildcard: (one) => one === '*', matchesItem: matchesPatternItem })
}

function matchesPatternItem(one: PatternItem, character: string): boolean {
  if (typeof one === 'string') return true
  if ('literal' in one) return one.literal === character
  return isInSet(one.set, character) !== one.isNegated
}

function isInSet(set: string, character: string): boolean {
  const characters = [...set]
  for (let at = 0; at < characters.length; at++) {
    const first = characters[at] as string
    const last = characters[at + 1] === '-' ? characters[at + 2] : undefined
    if (character >= first && character <= (last ?? first)) return true
    if (last !== undefined) at += 2
  }
  return false
}

function parsePattern(glob: string): PatternItem[] {
  const items: PatternItem[] = []
  const source = [...glob]
  for (let at = 0; at < source.length; at++) {
    const one = source[at] as string
    if (one === '*' || one === '?') items.push(one)
    else if (one === '\\' && at + 1 < source.length) items.push({ literal: source[++at] as string })
    else if (one === '[') {
      const isNegated = source[at + 1] === '!' || source[at + 1] === '^'
      const start = at + (isNegated ? 2 : 1)
      // The first character belongs to the set, even if it is `]`.
      const end = source.indexOf(']', start + 1)
      if (end < 0) items.push({ literal: one })
      else {
        items.push({ set: source.slice(start, end).join(''), isNegated })
        at = end
      }
    } else items.push({ literal: one })
  }
  return items
}

/** Compiles a pattern for whole paths; `**` stands for any number of folders. */
export function compilePathPattern(glob: string): (names: string[]) => boolean {
  const pattern = glob.split('/').map((name) => (name === '**' ? '**' : compileNamePattern(name)))
  // `a/**` matches the content of `a`, not `a` itself.
  if (pattern.at(-1) === '**') pattern.push(() => true)
  return (names) =>
    matchesParts(pattern, names, {
      isWildcard: (one) => one === '**',
      matchesItem: (one, name) => (one as NamePattern)(name),
    })
}
