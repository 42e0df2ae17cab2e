/** Code points, both ends included. */
export type Range = readonly [from: number, to: number]

/** Sorted ranges that neither overlap nor touch. */
export type CharacterClass = readonly Range[]

const last = 0x10ffff
const of = (...texts: string[]): CharacterClass =>
  tidy(texts.map((text): Range => [text.codePointAt(0)!, text.codePointAt(text.length - 1)!]))

export function tidy(ranges: readonly Range[]): CharacterClass {
  const tidied: [number, number][] = []
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const previous = tidied.at(-1)
    if (previous && from <= previous[1] + 1) previous[1] = Math.max(previous[1], to)
    else tidied.push([from, to])
  }
  return tidied
}

export function negated(ranges: CharacterClass): CharacterClass {
  const outside: Range[] = []
  let next = 0
  for (const [from, to] of ranges) {
    if (from > next) outside.push([next, from - 1])
    next = to + 1
  }
  if (next <= last) outside.push([next, last])
  return outside
}

export function includes(ranges: CharacterClass, point: number): boolean {
  return ranges.some(([from, to]) => point >= from && point <= to)
}

/** Both cases of ASCII letters, and the two other letters that fold to them: ſ and the Kelvin sign. */
export function eitherCase(ranges: CharacterClass): CharacterClass {
  const more: Range[] = []
  for (const [from, to] of ranges) {
    const [upperFrom, upperTo] = [Math.max(from, 65), Math.min(to, 90)]
    if (upperFrom <= upperTo) more.push([upperFrom + 32, upperTo + 32])
    const [lowerFrom, lowerTo] = [Math.max(from, 97), Math.min(to, 122)]
    if (lowerFrom <= lowerTo) more.push([lowerFrom - 32, lowerTo - 32])
  }
  const all = tidy([...ranges, ...more])
  const [s, k] = [includes(all, 0x73), includes(all, 0x6b)]
  return tidy([...all, ...(s ? [[0x17f, 0x17f] as const] : []), ...(k ? [[0x212a, 0x212a] as const] : [])])
}

export const digits = of('09')
export const wordCharacters = of('09', 'AZ', '__', 'az')
export const newline = of('\n\n')
const blank = of('\t\t', '  ')

/** The meaning of `\d`, `\s`, `\w` in RE2: ASCII only. */
export const perlClasses: Record<string, CharacterClass> = {
  d: digits,
  s: of('\t\n', '\f\r', '  '),
  w: wordCharacters,
}

/** The names in `[[:alpha:]]`. */
export const posixClasses: Record<string, CharacterClass> = {
  alnum: of('09', 'AZ', 'az'),
  alpha: of('AZ', 'az'),
  ascii: of('\0\x7f'),
  blank,
  digit: digits,
  lower: of('az'),
  punct: of('!/', ':@', '[`', '{~'),
  space: of('\t\r', '  '),
  upper: of('AZ'),
  word: wordCharacters,
  xdigit: of('09', 'AF', 'af'),
}
