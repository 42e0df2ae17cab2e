/** Characters of two columns in a terminal: the wide and fullwidth ones of East Asian scripts, and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The number of columns that a text takes in a terminal. */
export function displayWidth(text: string): number {
  if (/^[\x20-\u02ff]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1
  return width
}

export const padToWidth = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)))
