import {
  type CharacterClass,
  eitherCase,
  negated,
  newline,
  perlClasses,
  posixClasses,
  type Range,
  tidy,
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

const notUnderstood = new Error('The pattern has syntax that only the linear engine supports.')

/**
 * Parses a pattern that RE2 has accepted. Undefined for syntax that only the linear engine supports: Unicode classes, `\Q`,
 * the flag U, and non-ASCII letters ignoring case.
 */
export function readPattern(source: string): Pattern | undefined {
  try {
    return new Reader(source).whole()
  } catch (error) {
    if (error === notUnderstood) return undefined
    throw error
  }
}

class Reader {
  #source: string
  #at = 0
  #depth = 0
  constructor(source: string) {
    this.#source = source
  }

  whole(): Pattern {
    const pattern = this.#choice({ i: false, m: false, s: false })
    if (this.#at < this.#source.length) throw notUnderstood
    return pattern
  }

  /** Flags that are set within a group apply to its end, across alternatives. */
  #choice(outer: Flags): Pattern {
    if (++this.#depth > 100) throw notUnderstood
    const flags = { ...outer }
    const items: Pattern[] = [this.#sequence(flags)]
    while (this.#source[this.#at] === '|') {
      this.#at++
      items.push(this.#sequence(flags))
    }
    this.#depth--
    return items.length === 1 ? items[0]! : { type: 'choice', items }
  }

  #sequence(flags: Flags): Pattern {
    const items: Pattern[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      const item = this.#item(flags)
      if (item) items.push(this.#repeated(item))
    }
    return items.length === 1 ? items[0]! : { type: 'sequence', items }
  }

  #repeated(item: Pattern): Pattern {
    const match = this.#take(repetition)
    if (!match) return item
    const [text, from, comma, to, lazy] = match
    // The engines differ in repetitions of a part that can match the empty string.
    if (mayMatchNothing(item) || this.#peek(repetition)) throw notUnderstood
    const [min, max] =
      from === undefined
        ? [text.startsWith('+') ? 1 : 0, text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY]
        : [Number(from), comma === undefined ? Number(from) : to ? Number(to) : Number.POSITIVE_INFINITY]
    return { type: 'repeat', item, min, max, lazy: lazy !== undefined }
  }

  /** Undefined for a group that only sets flags. */
  #item(flags: Flags): Pattern | undefined {
    const character = this.#source[this.#at]
    switch (character) {
      case '(':
        return this.#group(flags)
      case '[':
        return { type: 'character', class: this.#bracketed(flags) }
      case '.':
        this.#at++
        return { type: 'character', class: flags.s ? negated([]) : negated(newline) }
      case '^':
        this.#at++
        return { type: 'assertion', at: flags.m ? 'lineStart' : 'textStart' }
      case '$':
        this.#at++
        return { type: 'assertion', at: flags.m ? 'lineEnd' : 'textEnd' }
      case '\\':
        return this.#escape(flags)
      default:
        if ('*+?'.includes(character!)) throw notUnderstood
        return { type: 'character', class: cased([this.#range(this.#point())], flags) }
    }
  }

  #group(flags: Flags): Pattern | undefined {
    const head = this.#take(groupHead)
    if (!head) throw notUnderstood
    const [, set = '', unset = '', end] = head
    const changed = { ...flags }
    for (const flag of set) changed[flag as keyof Flags] = true
    for (const flag of unset) changed[flag as keyof Flags] = false
    if (end === ')') {
      Object.assign(flags, changed)
      return undefined
    }
    const inner = this.#choice(changed)
    if (this.#source[this.#at++] !== ')') throw notUnderstood
    return inner
  }

  #escape(flags: Flags): Pattern {
    const letter = this.#source[this.#at + 1]!
    const assertion = ({ b: 'wordBoundary', B: 'noWordBoundary', A: 'textStart', z: 'textEnd' } as const)[letter]
    if (assertion) {
      this.#at += 2
      return { type: 'assertion', at: assertion }
    }
    const named = this.#perl(flags)
    return { type: 'character', class: named ?? cased([this.#range(this.#escapedPoint())], flags) }
  }

  #perl(flags: Flags): CharacterClass | undefined {
    const letter = this.#source[this.#at] === '\\' ? this.#source[this.#at + 1]! : ''
    const charClass = perlClasses[letter.toLowerCase()]
    if (!charClass) return undefined
    this.#at += 2
    const folded = cased(charClass, flags)
    return letter === letter.toLowerCase() ? folded : negated(folded)
  }

  #bracketed(flags: Flags): CharacterClass {
    this.#at++
    const isNegated = this.#source[this.#at] === '^'
    if (isNegated) this.#at++
    const ranges: Range[] = []
    for (let first = true; first || this.#source[this.#at] !== ']'; first = false) {
      if (this.#at >= this.#source.length) throw notUnderstood
      ranges.push(...this.#member(flags))
    }
    this.#at++
    return isNegated ? negated(tidy(ranges)) : tidy(ranges)
  }

  #member(flags: Flags): CharacterClass {
    const posix = this.#take(/\[:(\^?)(\w+):\]/y)
    if (posix) {
      const charClass = posixClasses[posix[2]!]
      if (!charClass) throw notUnderstood
      return posix[1] ? negated(cased(charClass, flags)) : cased(charClass, flags)
    }
    const named = this.#perl(flags)
    if (named) return named
    const from = this.#memberPoint()
    if (this.#source[this.#at] !== '-' || this.#source[this.#at + 1] === ']') return cased([[from, from]], flags)
    this.#at++
    return cased([[from, this.#memberPoint()]], flags)
  }

  #memberPoint(): number {
    return this.#source[this.#at] === '\\' ? this.#escapedPoint() : this.#point()
  }

  #escapedPoint(): number {
    const match = this.#take(escapedPoint)
    if (!match) throw notUnderstood
    const [, two, braced, control, itself] = match
    const hexadecimal = two ?? braced
    return hexadecimal ? Number.parseInt(hexadecimal, 16) : (control ? controls[control]! : itself!).codePointAt(0)!
  }

  #point(): number {
    const point = this.#source.codePointAt(this.#at)!
    this.#at += point > 0xffff ? 2 : 1
    return point
  }

  #range(point: number): Range {
    return [point, point]
  }

  #peek(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at
    return token.exec(this.#source)
  }

  #take(token: RegExp): RegExpExecArray | null {
    const match = this.#peek(token)
    if (match) this.#at += match[0].length
    return match
  }
}

function cased(ranges: CharacterClass, { i }: Flags): CharacterClass {
  const [, end] = ranges.at(-1) ?? [0, 0]
  // The engines differ for surrogates, and for case folding outside of ASCII.
  if (ranges.some(([from, to]) => from <= 0xdfff && to >= 0xd800) || (i && end > 0x7f)) throw notUnderstood
  return i ? eitherCase(ranges) : ranges
}

function mayMatchNothing(pattern: Pattern): boolean {
  switch (pattern.type) {
    case 'character':
      return false
    case 'assertion':
      return true
    case 'sequence':
      return pattern.items.every(mayMatchNothing)
    case 'choice':
      return pattern.items.some(mayMatchNothing)
    case 'repeat':
      return pattern.min === 0 || mayMatchNothing(pattern.item)
    default:
      return pattern satisfies never
  }
}
