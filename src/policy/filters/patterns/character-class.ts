/** Code points, both ends included. */
export type Range = readonly [from: number, to: number]

/** Sorted ranges that neither overlap nor touch. */
export type CharacterClass = readonly Range[]

export const maxCodePoint = 0x10ffff

/** The class of several ranges, each given as a text: from its first character to its last one. */
const classOfRanges = (...texts: string[]): CharacterClass =>
  normalizeRanges(texts.map((text): Range => [text.codePointAt(0)!, text.codePointAt(text.length - 1)!]))

/** Sorts ranges, and joins those that overlap or touch. */
export function normalizeRanges(ranges: readonly Range[]): CharacterClass {
  const merged: [number, number][] = []
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = merged.at(-1)
    if (previous && from <= previous[1] + 1) previous[1] = Math.max(previous[1], to)
    else merged.push([from, to])
  }
  return merged
}

export function negate(ranges: CharacterClass): CharacterClass {
  const complement: Range[] = []
  let nextFree = 0
  for (const [from, to] of ranges) {
    if (from > nextFree) complement.push([nextFree, from - 1])
    nextFree = to + 1
  }
  if (nextFree <= maxCodePoint) complement.push([nextFree, maxCodePoint])
  return complement
}

export function includes(ranges: CharacterClass, point: number): boolean {
  return ranges.some(([from, to]) => point >= from && point <= to)
}

const letterK = 0x6b
const letterS = 0x73
const longS = 0x17f
const kelvinSign = 0x212a
const [upperA, upperZ, lowerA, lowerZ] = [0x41, 0x5a, 0x61, 0x7a] as const
/** The distance of an ASCII letter's two cases. */
const caseDistance = lowerA - upperA

/** Adds the other case of each ASCII letter, and the two other letters that fold to an ASCII letter: ſ (s) and the Kelvin sign (k). */
export function ignoreCase(ranges: CharacterClass): CharacterClass {
  const otherCase: Range[] = []
  for (const [from, to] of ranges) {
    const [upperFrom, upperTo] = [Math.max(from, upperA), Math.min(to, upperZ)]
    if (upperFrom <= upperTo) otherCase.push([upperFrom + caseDistance, upperTo + caseDistance])
    const [lowerFrom, lowerTo] = [Math.max(from, lowerA), Math.min(to, lowerZ)]
    if (lowerFrom <= lowerTo) otherCase.push([lowerFrom - caseDistance, lowerTo - caseDistance])
  }
  const bothCases = normalizeRanges([...ranges, ...otherCase])
  const foldedLetters: Range[] = []
  if (includes(bothCases, letterS)) foldedLetters.push([longS, longS])
  if (includes(bothCases, letterK)) foldedLetters.push([kelvinSign, kelvinSign])
  return normalizeRanges([...bothCases, ...foldedLetters])
}

const digits = classOfRanges('09')
export const wordCharacters = classOfRanges('09', 'AZ', '__', 'az')
export const newline = classOfRanges('\n\n')
const blank = classOfRanges('\t\t', '  ')

/** The meaning of `\d`, `\s`, `\w` in RE2: ASCII only. */
export const perlClasses: Record<string, CharacterClass> = {
  d: digits,
  s: classOfRanges('\t\n', '\f\r', '  '),
  w: wordCharacters,
}

/** The names in `[[:alpha:]]`. */
export const posixClasses: Record<string, CharacterClass> = {
  alnum: classOfRanges('09', 'AZ', 'az'),
  alpha: classOfRanges('AZ', 'az'),
  ascii: classOfRanges('\0\x7f'),
  blank,
  digit: digits,
  lower: classOfRanges('az'),
  punct: classOfRanges('!/', ':@', '[`', '{~'),
  space: classOfRanges('\t\r', '  '),
  upper: classOfRanges('AZ'),
  word: wordCharacters,
  xdigit: classOfRanges('09', 'AF', 'af'),
}
