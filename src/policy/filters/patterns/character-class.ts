/** Code points, both ends included. */
export type Range = readonly [from: number, to: number]

/** Sorted ranges that neither overlap nor touch. */
export type CharacterClass = readonly Range[]

const maxCodePoint = 0x10ffff
const classOf = (...texts: string[]): CharacterClass =>
  normalizeRanges(texts.map((text): Range => [text.codePointAt(0)!, text.codePointAt(text.length - 1)!]))

export function normalizeRanges(ranges: readonly Range[]): CharacterClass {
  const tidied: [number, number][] = []
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = tidied.at(-1)
    if (previous && from <= previous[1] + 1) previous[1] = Math.max(previous[1], to)
    else tidied.push([from, to])
  }
  return tidied
}

export function negate(ranges: CharacterClass): CharacterClass {
  const complement: Range[] = []
  let next = 0
  for (const [from, to] of ranges) {
    if (from > next) complement.push([next, from - 1])
    next = to + 1
  }
  if (next <= maxCodePoint) complement.push([next, maxCodePoint])
  return complement
}

export function includes(ranges: CharacterClass, point: number): boolean {
  return ranges.some(([from, to]) => point >= from && point <= to)
}

/** Both cases of ASCII letters, and the two other letters that fold to them: ſ and the Kelvin sign. */
export function ignoreCase(ranges: CharacterClass): CharacterClass {
  const more: Range[] = []
  for (const [from, to] of ranges) {
    const [upperFrom, upperTo] = [Math.max(from, 65), Math.min(to, 90)]
    if (upperFrom <= upperTo) more.push([upperFrom + 32, upperTo + 32])
    const [lowerFrom, lowerTo] = [Math.max(from, 97), Math.min(to, 122)]
    if (lowerFrom <= lowerTo) more.push([lowerFrom - 32, lowerTo - 32])
  }
  const all = normalizeRanges([...ranges, ...more])
  const [s, k] = [includes(all, 0x73), includes(all, 0x6b)]
  return normalizeRanges([...all, ...(s ? [[0x17f, 0x17f] as const] : []), ...(k ? [[0x212a, 0x212a] as const] : [])])
}

export const digits = classOf('09')
export const wordCharacters = classOf('09', 'AZ', '__', 'az')
export const newline = classOf('\n\n')
const blank = classOf('\t\t', '  ')

/** The meaning of `\d`, `\s`, `\w` in RE2: ASCII only. */
export const perlClasses: Record<string, CharacterClass> = {
  d: digits,
  s: classOf('\t\n', '\f\r', '  '),
  w: wordCharacters,
}

/** The names in `[[:alpha:]]`. */
export const posixClasses: Record<string, CharacterClass> = {
  alnum: classOf('09', 'AZ', 'az'),
  alpha: classOf('AZ', 'az'),
  ascii: classOf('\0\x7f'),
  blank,
  digit: digits,
  lower: classOf('az'),
  punct: classOf('!/', ':@', '[`', '{~'),
  space: classOf('\t\r', '  '),
  upper: classOf('AZ'),
  word: wordCharacters,
  xdigit: classOf('09', 'AF', 'af'),
}
