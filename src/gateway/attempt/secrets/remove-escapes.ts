/** A text, and the start of each of its characters in the original text, with one more entry for the end. */
export type PositionedText = { text: string; starts: readonly number[] }

/** Percent, HTML, JSON and backslash escapes of single characters. */
const escapePattern =
  /%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});?|&#(\d{1,7});?|&([a-z]{2,8});|\\(["'/\\])/gi

const namedEntities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  sol: '/',
  plus: '+',
  equals: '=',
  lowbar: '_',
  period: '.',
  colon: ':',
  semi: ';',
  comma: ',',
  num: '#',
  hyphen: '-',
  dash: '-',
  excl: '!',
  commat: '@',
  dollar: '$',
  percnt: '%',
  ast: '*',
  lpar: '(',
  rpar: ')',
  quest: '?',
  bsol: '\\',
  hat: '^',
  tilde: '~',
  vert: '|',
  grave: '`',
}

/** The text unchanged: each character starts at its own position. */
export const withPositions = (text: string): PositionedText => ({
  text,
  starts: Array.from({ length: text.length + 1 }, (_, at) => at),
})

/** Removes one layer of escapes. Undefined if there is none. */
export function removeEscapes({ text, starts }: PositionedText): PositionedText | undefined {
  let plain = ''
  const plainStarts: number[] = []
  let copiedTo = 0
  const copy = (end: number) => {
    for (let from = copiedTo; from < end; from++) plainStarts.push(starts[from]!)
    plain += text.slice(copiedTo, end)
  }
  for (const match of text.matchAll(escapePattern)) {
    const character = decodeEscape(match)
    if (character === undefined) continue
    copy(match.index)
    plain += character
    plainStarts.push(starts[match.index]!)
    copiedTo = match.index + match[0].length
  }
  if (copiedTo === 0) return undefined
  copy(text.length)
  plainStarts.push(starts[text.length]!)
  return { text: plain, starts: plainStarts }
}

/** The escaped character. Undefined if it is not ASCII, because credentials are ASCII. */
function decodeEscape([, percent, json, braces, byte, hex, decimal, name, quoted]: RegExpExecArray):
  | string
  | undefined {
  if (name !== undefined) return namedEntities[name.toLowerCase()]
  if (quoted !== undefined) return quoted
  const digits = percent ?? json ?? braces ?? byte ?? hex
  const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16)
  return code < 128 ? String.fromCharCode(code) : undefined
}
