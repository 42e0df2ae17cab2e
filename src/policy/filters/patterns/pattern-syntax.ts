import {
  type CharacterClass,
  ignoreCase,
  negate,
  newline,
  normalizeRanges,
  perlClasses,
  posixClasses,
  type Range,
} from './character-class.ts'

export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'noWordBoundary'

/** The meaning of a pattern. Its flags are already applied. */
export type Pattern =
  | { type: 'character'; class: CharacterClass }
  | { type: 'assertion'; at: Assertion }
  | { type: 'sequence' | 'choice'; items: Pattern[] }
  | { type: 'repeat'; item: Pattern; min: number; max: number; lazy: boolean }

type Flags = { i: boolean; m: boolean; s: boolean }

const repetition = /(?:[*+?]|\{(\d{1,4})(?:(,)(\d{0,4}))?\})(\?)?/y
const groupHead = /\((?:\?(?:P?<\w+>|([ims]*)(?:-([ims]+))?([:)])))?/y
const escapedPoint = /\\(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,6})\}|([nrtfva])|([^\w\s]))/y
const controls: Record<string, string> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', a: '\x07' }

/** The parser recurses, so patterns with more nested groups are left to RE2. */
const maxDepth = 100

const unsupported = new Error('The pattern has syntax for which RE2 and RegExp can differ.')

/**
 * Parses a pattern that RE2 has accepted, so that JavaScript's `RegExp`, which is faster, can run it. Returns undefined if only
 * RE2 can: for syntax that `RegExp` lacks or treats differently. Examples are Unicode classes, `\Q`, the flag U, and non-ASCII
 * letters ignoring case.
 */
export function parsePattern(source: string): Pattern | undefined {
  try {
    return new PatternParser(source).parse()
  } catch (error) {
    if (error === unsupported) return undefined
    throw error
  }
}

class PatternParser {
  #source: string
  #position = 0
  #depth = 0
  constructor(source: string) {
    this.#source = source
  }

  parse(): Pattern {
    const pattern = this.#parseChoice({ i: false, m: false, s: false })
    if (this.#position < this.#source.length) throw unsupported
    return pattern
  }

  /** Flags that are set within a group apply up to its end, across alternatives. */
  #parseChoice(outer: Flags): Pattern {
    if (++this.#depth > maxDepth) throw unsupported
    const flags = { ...outer }
    const items: Pattern[] = [this.#parseSequence(flags)]
    while (this.#source[this.#position] === '|') {
      this.#position++
      items.push(this.#parseSequence(flags))
    }
    this.#depth--
    return items.length === 1 ? items[0]! : { type: 'choice', items }
  }

  #parseSequence(flags: Flags): Pattern {
    const items: Pattern[] = []
    while (this.#position < this.#source.length && !'|)'.includes(this.#source[this.#position]!)) {
      const item = this.#parseItem(flags)
      if (item) items.push(this.#parseRepetition(item))
    }
    return items.length === 1 ? items[0]! : { type: 'sequence', items }
  }

  #parseRepetition(item: Pattern): Pattern {
    const match = this.#take(repetition)
    if (!match) return item
    const [text, from, comma, to, lazy] = match
    // RE2 and RegExp differ in repetitions of a part that can match the empty string.
    if (canMatchEmpty(item) || this.#peek(repetition)) throw unsupported
    const isLazy = lazy !== undefined
    if (from === undefined) {
      const min = text.startsWith('+') ? 1 : 0
      const max = text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY
      return { type: 'repeat', item, min, max, lazy: isLazy }
    }
    const max = comma === undefined ? from : to || Number.POSITIVE_INFINITY
    return { type: 'repeat', item, min: Number(from), max: Number(max), lazy: isLazy }
  }

  /** @returns undefined for a group that only sets flags. */
  #parseItem(flags: Flags): Pattern | undefined {
    const character = this.#source[this.#position]
    switch (character) {
      case '(':
        return this.#parseGroup(flags)
      case '[':
        return { type: 'character', class: this.#parseBracketClass(flags) }
      case '.':
        this.#position++
        return { type: 'character', class: flags.s ? negate([]) : negate(newline) }
      case '^':
        this.#position++
        return { type: 'assertion', at: flags.m ? 'lineStart' : 'textStart' }
      case '$':
        this.#position++
        return { type: 'assertion', at: flags.m ? 'lineEnd' : 'textEnd' }
      case '\\':
        return this.#parseEscape(flags)
      default:
        if ('*+?'.includes(character!)) throw unsupported
        return { type: 'character', class: applyCase([this.#range(this.#parsePoint())], flags) }
    }
  }

  #parseGroup(flags: Flags): Pattern | undefined {
    const head = this.#take(groupHead)
    if (!head) throw unsupported
    const [, set = '', unset = '', end] = head
    const changed = { ...flags }
    for (const flag of set) changed[flag as keyof Flags] = true
    for (const flag of unset) changed[flag as keyof Flags] = false
    if (end === ')') {
      Object.assign(flags, changed)
      return undefined
    }
    const inner = this.#parseChoice(changed)
    if (this.#source[this.#position++] !== ')') throw unsupported
    return inner
  }

  #parseEscape(flags: Flags): Pattern {
    const letter = this.#source[this.#position + 1]!
    const assertion = ({ b: 'wordBoundary', B: 'noWordBoundary', A: 'textStart', z: 'textEnd' } as const)[letter]
    if (assertion) {
      this.#position += 2
      return { type: 'assertion', at: assertion }
    }
    const perlClass = this.#parsePerlClass(flags)
    return { type: 'character', class: perlClass ?? applyCase([this.#range(this.#parseEscapedPoint())], flags) }
  }

  #parsePerlClass(flags: Flags): CharacterClass | undefined {
    const letter = this.#source[this.#position] === '\\' ? this.#source[this.#position + 1]! : ''
    const charClass = perlClasses[letter.toLowerCase()]
    if (!charClass) return undefined
    this.#position += 2
    const folded = applyCase(charClass, flags)
    return letter === letter.toLowerCase() ? folded : negate(folded)
  }

  #parseBracketClass(flags: Flags): CharacterClass {
    this.#position++
    const isNegated = this.#source[this.#position] === '^'
    if (isNegated) this.#position++
    const ranges: Range[] = []
    for (let first = true; first || this.#source[this.#position] !== ']'; first = false) {
      if (this.#position >= this.#source.length) throw unsupported
      ranges.push(...this.#parseClassItem(flags))
    }
    this.#position++
    return isNegated ? negate(normalizeRanges(ranges)) : normalizeRanges(ranges)
  }

  #parseClassItem(flags: Flags): CharacterClass {
    const posix = this.#take(/\[:(\^?)(\w+):\]/y)
    if (posix) {
      const charClass = posixClasses[posix[2]!]
      if (!charClass) throw unsupported
      return posix[1] ? negate(applyCase(charClass, flags)) : applyCase(charClass, flags)
    }
    const perlClass = this.#parsePerlClass(flags)
    if (perlClass) return perlClass
    const from = this.#parseClassPoint()
    if (this.#source[this.#position] !== '-' || this.#source[this.#position + 1] === ']')
      return applyCase([[from, from]], flags)
    this.#position++
    return applyCase([[from, this.#parseClassPoint()]], flags)
  }

  #parseClassPoint(): number {
    return this.#source[this.#position] === '\\' ? this.#parseEscapedPoint() : this.#parsePoint()
  }

  #parseEscapedPoint(): number {
    const match = this.#take(escapedPoint)
    if (!match) throw unsupported
    const [, twoDigits, braced, control, literal] = match
    const hexadecimal = twoDigits ?? braced
    return hexadecimal ? Number.parseInt(hexadecimal, 16) : (control ? controls[control]! : literal!).codePointAt(0)!
  }

  #parsePoint(): number {
    const point = this.#source.codePointAt(this.#position)!
    this.#position += point > 0xffff ? 2 : 1
    return point
  }

  #range(point: number): Range {
    return [point, point]
  }

  #peek(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#position
    return token.exec(this.#source)
  }

  #take(token: RegExp): RegExpExecArray | null {
    const match = this.#peek(token)
    if (match) this.#position += match[0].length
    return match
  }
}

function applyCase(ranges: CharacterClass, { i }: Flags): CharacterClass {
  // The pattern's syntax has no empty class.
  const [, end] = ranges.at(-1)!
  // RE2 and RegExp differ for surrogates, and for case folding outside of ASCII.
  if (ranges.some(([from, to]) => from <= 0xdfff && to >= 0xd800) || (i && end > 0x7f)) throw unsupported
  return i ? ignoreCase(ranges) : ranges
}

function canMatchEmpty(pattern: Pattern): boolean {
  switch (pattern.type) {
    case 'character':
      return false
    case 'assertion':
      return true
    case 'sequence':
      return pattern.items.every(canMatchEmpty)
    case 'choice':
      return pattern.items.some(canMatchEmpty)
    case 'repeat':
      return pattern.min === 0 || canMatchEmpty(pattern.item)
    default:
      return pattern satisfies never
  }
}
