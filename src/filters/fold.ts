import type { Span } from './span.ts'

/**
 * What Unicode says to draw nothing for (`Default_Ignorable_Code_Point`: joiners, variation selectors, tags, Hangul
 * fillers and so on), control characters that break no line, marks of annotations, and the blank of Braille.
 */
const invisible =
  /(?:[\u034f\ufe00-\ufe0f\u180b-\u180f\u17b4\u17b5\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u115f\u1160\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff])+/g
const lookalike =
  /[\u00a0\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u1680\u2000-\u200a\u2010-\u2015\u202f\u205f\u2212\u3000\uff01-\uff5e]/g
/** Any of both, as far as one unit tells. */
const unusual =
  /[\u034f\ufe00-\ufe0f\u180b-\u180f\u17b4\u17b5\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\xa0\xad\u061c\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u115f\u1160\u1680\u2000-\u2015\u202a-\u202f\u205f-\u206f\u2212\u2800\u3000\u3164\ufeff\uff01-\uff5e\uffa0\ufff0-\ufffb\ud82f\ud834\udb40-\udb43]/

/** A text as filters look at it, and where what they find in it was. */
export type Folded = { text: string; restore: (found: Span[]) => Span[] }

/**
 * Lets filters see a text as a reader does: digits of other scripts and full-width letters as ASCII, every space and
 * hyphen as the common one, and no invisible characters.
 */
export function fold(text: string): Folded {
  if (!unusual.test(text)) return { text, restore: (found) => found }
  const { visible, places } = withoutInvisible(text)
  return {
    text: visible.replace(lookalike, ordinary),
    restore: (found) =>
      places ? found.map(({ start, end }) => ({ start: places[start]!, end: places[end - 1]! + 1 })) : found,
  }
}

function ordinary(character: string): string {
  const code = character.charCodeAt(0)
  if (code >= 0xff01) return String.fromCharCode(code - 0xfee0)
  if (code >= 0x0660 && code <= 0x0669) return String(code - 0x0660)
  if (code >= 0x06f0 && code <= 0x06f9) return String(code - 0x06f0)
  if (code >= 0x0966 && code <= 0x096f) return String(code - 0x0966)
  return (code >= 0x2010 && code <= 0x2015) || code === 0x2212 ? '-' : ' '
}

/** The text without what nobody sees, and for each place in it the place where it was. */
function withoutInvisible(text: string): { visible: string; places?: Uint32Array } {
  const visible = text.replace(invisible, '')
  if (visible.length === text.length) return { visible }
  const places = new Uint32Array(visible.length)
  let from = 0
  let at = 0
  for (const { index, 0: hidden } of text.matchAll(invisible)) {
    while (from < index) places[at++] = from++
    from += hidden.length
  }
  while (from < text.length) places[at++] = from++
  return { visible, places }
}
