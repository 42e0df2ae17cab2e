import type { Span } from './span.ts'

const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g
const lookalike =
  /[\u00a0\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u2000-\u200a\u2010-\u2015\u202f\u2212\u3000\uff01-\uff5e]/g
const unusual =
  /[\u00a0\u00ad\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u2000-\u2015\u202a-\u202f\u2060-\u2069\u2212\u3000\ufeff\uff01-\uff5e]/

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
  for (let from = 0, at = 0; at < visible.length; from++) {
    if (text.charCodeAt(from) === visible.charCodeAt(at)) places[at++] = from
  }
  return { visible, places }
}
