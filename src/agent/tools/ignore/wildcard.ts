/** How the items of a pattern match: characters of a name, or names of a path. */
type Wildcard<Pattern, Item> = { isStar: (one: Pattern) => boolean; matchesOne: (one: Pattern, item: Item) => boolean }

/**
 * Matches the items of a pattern against the items of a text; a star stands for any number of items. Moves only the last
 * star, so the work is bounded by the pattern's length times the text's.
 */
function matches<Pattern, Item>(
  pattern: Pattern[],
  text: Item[],
  { isStar, matchesOne }: Wildcard<Pattern, Item>,
): boolean {
  let textIndex = 0
  let patternIndex = 0
  let starIndex = -1
  /** The index after the text that the last star stands for. */
  let starEnd = 0
  while (textIndex < text.length) {
    const one = pattern[patternIndex]
    if (one !== undefined && isStar(one)) {
      starIndex = patternIndex++
      starEnd = textIndex
    } else if (one !== undefined && matchesOne(one, text[textIndex] as Item)) {
      patternIndex++
      textIndex++
    } else if (starIndex >= 0) {
      patternIndex = starIndex + 1
      textIndex = ++starEnd
    } else return false
  }
  while (patternIndex < pattern.length && isStar(pattern[patternIndex] as Pattern)) patternIndex++
  return patternIndex === pattern.length
}

type Character = '*' | '?' | { literal: string } | { set: string; negated: boolean }

/** Matches a name in a path against a pattern with `*`, `?`, `[a-z]` and `\`. */
export type NamePattern = (name: string) => boolean

/** Compiles a pattern for one name. */
export function namePattern(glob: string): NamePattern {
  const characters = parseCharacters(glob)
  if (characters.every((one) => typeof one === 'object' && 'literal' in one)) {
    const literal = characters.map((one) => (one as { literal: string }).literal).join('')
    return (name) => name === literal
  }
  return (name) => matches(characters, [...name], { isStar: (one) => one === '*', matchesOne: fitsCharacter })
}

function fitsCharacter(one: Character, character: string): boolean {
  if (typeof one === 'string') return true
  if ('literal' in one) return one.literal === character
  return isInSet(one.set, character) !== one.negated
}

function isInSet(set: string, character: string): boolean {
  const members = [...set]
  for (let at = 0; at < members.length; at++) {
    const first = members[at] as string
    const last = members[at + 1] === '-' ? members[at + 2] : undefined
    if (character >= first && character <= (last ?? first)) return true
    if (last !== undefined) at += 2
  }
  return false
}

function parseCharacters(glob: string): Character[] {
  const characters: Character[] = []
  const source = [...glob]
  for (let at = 0; at < source.length; at++) {
    const one = source[at] as string
    if (one === '*' || one === '?') characters.push(one)
    else if (one === '\\' && at + 1 < source.length) characters.push({ literal: source[++at] as string })
    else if (one === '[') {
      const negated = source[at + 1] === '!' || source[at + 1] === '^'
      const start = at + (negated ? 2 : 1)
      // The first character is a member of the set, even if it is `]`.
      const end = source.indexOf(']', start + 1)
      if (end < 0) characters.push({ literal: one })
      else {
        characters.push({ set: source.slice(start, end).join(''), negated })
        at = end
      }
    } else characters.push({ literal: one })
  }
  return characters
}

/** Compiles a pattern for whole paths; `**` stands for any number of folders. */
export function pathPattern(glob: string): (names: string[]) => boolean {
  const pattern = glob.split('/').map((name) => (name === '**' ? '**' : namePattern(name)))
  // `a/**` matches the content of `a`, not `a` itself.
  if (pattern.at(-1) === '**') pattern.push(() => true)
  return (names) =>
    matches(pattern, names, { isStar: (one) => one === '**', matchesOne: (one, name) => (one as NamePattern)(name) })
}
