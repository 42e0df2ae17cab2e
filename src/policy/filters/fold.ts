import { digitHighs, digitOf, digitUnits } from './detectors/digits.ts'
import type { Span } from './span.ts'

/**
 * Characters that are not drawn (`Default_Ignorable_Code_Point`: joiners, variation selectors, tags, Hangul fillers and
 * so on), control characters that do not break a line, annotation marks, and the Braille blank.
 */
const invisibleUnits =
  '\\u034f\\ufe00-\\ufe0f\\u180b-\\u180f\\u17b4\\u17b5\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\\xad\\u061c\\u115f\\u1160\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb'
const invisiblePairs = '\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]|[\\udb40-\\udb43][\\udc00-\\udfff]'
const spacesAndHyphens = '\\u00a0\\u1680\\u2000-\\u200a\\u2010-\\u2015\\u202f\\u205f\\u2212\\u3000\\uff01-\\uff5e'

/** Letters and digits of mathematics, and digits of scripts beyond the first plane. */
const pairs = `\\ud835[\\udc00-\\udfff]|[${digitHighs}][\\udc00-\\udfff]`

const lookalike = new RegExp(`[${spacesAndHyphens}${digitUnits}]`, 'g')
const reshaped = new RegExp(`(?:[${invisibleUnits}]|${invisiblePairs})+|${pairs}`, 'g')
/** Matches all of them by their first code unit. */
const unusual = new RegExp(
  `[${invisibleUnits}${spacesAndHyphens}${digitUnits}\\ud82f\\ud834\\ud835\\udb40-\\udb43${digitHighs}]`,
)

/** A text as filters look at it, and where what they find in it was. */
export type Folded = { text: string; restore: (found: Span[]) => Span[] }

/**
 * Lets filters see a text as a reader does: digits of other scripts, and full-width and mathematical letters, as ASCII,
 * every space and hyphen as the common one, and no invisible characters.
 */
export function fold(text: string): Folded {
  if (!unusual.test(text)) return { text, restore: (found) => found }
  const { visible, places } = reshape(text)
  return {
    text: visible.replace(lookalike, ordinary),
    restore: (found) =>
      places
        ? found.map(({ start, end }) => ({ start: places[start]!, end: endOfCharacter(text, places[end - 1]!) }))
        : found,
  }
}

function ordinary(character: string): string {
  const digit = digitOf(character)
  if (digit !== undefined) return digit
  const code = character.charCodeAt(0)
  if (code >= 0xff01) return String.fromCharCode(code - 0xfee0)
  return (code >= 0x2010 && code <= 0x2015) || code === 0x2212 ? '-' : ' '
}

/**
 * The text that a match is read as: nothing for an invisible character, an ASCII character for a look-alike, else
 * itself.
 */
function readAs(match: string): string {
  const first = match.charCodeAt(0)
  const isPair = match.length === 2 && first >= 0xd800 && first < 0xdb40
  if (!isPair || first === 0xd82f || first === 0xd834) return ''
  const digit = digitOf(match)
  if (digit !== undefined) return digit
  const letter = first === 0xd835 ? match.normalize('NFKC') : match
  return letter.length === 1 && letter < '\x7f' ? letter : match
}

/** The text as it is read, and for each place in it the place where it was; none where nothing moved. */
function reshape(text: string): { visible: string; places?: Uint32Array } {
  const visible = text.replace(reshaped, readAs)
  if (visible.length === text.length) return { visible }
  const places = new Uint32Array(visible.length)
  let from = 0
  let at = 0
  for (const { index, 0: match } of text.matchAll(reshaped)) {
    while (from < index) places[at++] = from++
    const read = readAs(match)
    for (let unit = 0; unit < read.length; unit++) places[at++] = from + unit
    from = index + match.length
  }
  while (from < text.length) places[at++] = from++
  return { visible, places }
}

function endOfCharacter(text: string, at: number): number {
  const isHigh = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
  return at + (isHigh ? 2 : 1)
}
