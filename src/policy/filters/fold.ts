import { digitClass, digitHighSurrogates, digitOf } from './detectors/digits.ts'
import type { Span } from './span.ts'

/**
 * Invisible characters: `Default_Ignorable_Code_Point` (joiners, variation selectors, tags, Hangul fillers), control
 * characters except line breaks, annotation marks, and the Braille blank.
 */
const invisibleUnits =
  '\\u034f\\ufe00-\\ufe0f\\u180b-\\u180f\\u17b4\\u17b5\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f\\xad\\u061c\\u115f\\u1160\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb'
const invisiblePairs = '\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]|[\\udb40-\\udb43][\\udc00-\\udfff]'
const spacesAndHyphens = '\\u00a0\\u1680\\u2000-\\u200a\\u2010-\\u2015\\u202f\\u205f\\u2212\\u3000\\uff01-\\uff5e'

/** Mathematical letters and digits, and digits of scripts outside the basic plane. */
const replacedPairs = `\\ud835[\\udc00-\\udfff]|[${digitHighSurrogates}][\\udc00-\\udfff]`

const lookalikes = new RegExp(`[${spacesAndHyphens}${digitClass}]`, 'g')
const changedCharacters = new RegExp(`(?:[${invisibleUnits}]|${invisiblePairs})+|${replacedPairs}`, 'g')
/** Matches all of these characters by their first code unit. */
const anyFoldedUnit = new RegExp(
  `[${invisibleUnits}${spacesAndHyphens}${digitClass}\\ud82f\\ud834\\ud835\\udb40-\\udb43${digitHighSurrogates}]`,
)

/** The normalized text for filters, and a function that maps matches to positions in the original text. */
type FoldedText = { text: string; restore: (found: Span[]) => Span[] }

/**
 * Normalizes a text for filters. Converts digits of other scripts, full-width and mathematical letters to ASCII, and all spaces
 * and hyphens to the common ones. Removes invisible characters.
 */
export function fold(text: string): FoldedText {
  if (!anyFoldedUnit.test(text)) return { text, restore: (found) => found }
  const { normalized, positions } = normalize(text)
  return {
    text: normalized.replace(lookalikes, toAscii),
    restore: (found) =>
      positions
        ? found.map(({ start, end }) => ({ start: positions[start]!, end: endOfCharacter(text, positions[end - 1]!) }))
        : found,
  }
}

function toAscii(character: string): string {
  const digit = digitOf(character)
  if (digit !== undefined) return digit
  const code = character.charCodeAt(0)
  // Full-width forms have the order of ASCII: U+FF01 is "!" (U+0021).
  if (code >= 0xff01) return String.fromCharCode(code - 0xff01 + 0x21)
  return (code >= 0x2010 && code <= 0x2015) || code === 0x2212 ? '-' : ' '
}

/**
 * Returns the replacement of a character: nothing for an invisible one, and an ASCII character for a look-alike. Other characters
 * are returned unchanged.
 */
function replacementOf(match: string): string {
  const first = match.charCodeAt(0)
  // The match is a pair to replace, a pair of invisible characters (from U+DB40, or the two below), or a run of invisible ones.
  const isPair = match.length === 2 && first >= 0xd800 && first < 0xdb40
  if (!isPair || first === 0xd82f || first === 0xd834) return ''
  const digit = digitOf(match)
  if (digit !== undefined) return digit
  const letter = first === 0xd835 ? match.normalize('NFKC') : match
  return letter.length === 1 && letter < '\x7f' ? letter : match
}

/** Returns the normalized text and the original position of each of its units; no positions if none has changed. */
function normalize(text: string): { normalized: string; positions?: Uint32Array } {
  const normalized = text.replace(changedCharacters, replacementOf)
  if (normalized.length === text.length) return { normalized }
  const positions = new Uint32Array(normalized.length)
  let from = 0
  let at = 0
  for (const { index, 0: match } of text.matchAll(changedCharacters)) {
    while (from < index) positions[at++] = from++
    const replacement = replacementOf(match)
    for (let unit = 0; unit < replacement.length; unit++) positions[at++] = from + unit
    from = index + match.length
  }
  while (from < text.length) positions[at++] = from++
  return { normalized, positions }
}

function endOfCharacter(text: string, at: number): number {
  const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
  return at + (isPair ? 2 : 1)
}
