/**
 * Characters that change how other text is shown, or that are not shown themselves: control characters (but not line
 * breaks and tabs), characters that change the writing direction, invisible ones, other line separators, and lone
 * surrogates.
 */
const acting = String.raw`(?![\n\t])\p{Cc}|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}`
const inProse = new RegExp(acting, 'gu')

/** Characters that may mislead on one line: those above, line breaks, tabs and unusual spaces. */
const odd = String.raw`${acting}|[\n\t\ufe0e\ufe0f]|(?! )\p{Zs}`
const onOneLine = new RegExp(String.raw`\\(?=[nrtxu\\]|${odd})|${odd}`, 'gu')

const named: { [character: string]: string } = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

function escapeOf(character: string): string {
  const code = character.codePointAt(0)!
  if (named[character]) return named[character]
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`
}

/** Foreign text made safe for a terminal: control and invisible characters are escaped. Line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replace(inProse, escapeOf)
}

/** The same on one line: line breaks and tabs are escaped too. Existing escapes stay as they are. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

/**
 * Text that a person is to consent to, on one line. No two texts look the same: a backslash that could be read as an
 * escape is doubled.
 */
export function printableExactly(text: string): string {
  return text.replace(onOneLine, escapeOf)
}

/** The same on as many lines as it has. */
export function printableLines(text: string): string {
  return text.split('\n').map(printableExactly).join('\n')
}

const controls = /(?!\r?\n|\t)[\x00-\x1f\x7f-\x9f]/g

/** Anything that a command prints, JSON too, without what a terminal would obey: such characters as JSON escapes them. */
export function withoutControls(text: string): string {
  return text.replace(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
