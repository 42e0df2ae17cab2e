/**
 * Characters that change how other text is displayed, or that are invisible: control characters except line breaks and
 * tabs, bidirectional controls, zero-width characters, other line separators, and lone surrogates.
 */
const controlPattern = String.raw`(?![\n\t])\p{Cc}|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}`
const prosePattern = new RegExp(controlPattern, 'gu')

/**
 * Characters that can mislead in a single line: those of `controlPattern`, line breaks, tabs, unusual spaces, and symbols
 * without ink (the blank Braille pattern and the null notehead), which Unicode does not count as spaces.
 */
const lineUnsafePattern = String.raw`${controlPattern}|[\n\t\ufe0e\ufe0f\u2800\u{1d159}]|(?! )\p{Zs}`
const linePattern = new RegExp(String.raw`\\(?=[nrtxu\\]|${lineUnsafePattern})|${lineUnsafePattern}`, 'gu')

const namedEscapes: { [character: string]: string } = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0)!
  if (namedEscapes[character]) return namedEscapes[character]
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`
}

/** Makes untrusted text safe for a terminal: escapes control and invisible characters, but not line breaks and tabs. */
export function printable(text: string): string {
  return text.replace(prosePattern, escapeCharacter)
}

/** Like `printable`, for a single line: escapes line breaks and tabs too. Does not change existing escapes. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}

/**
 * Escapes text that a person must approve, in a single line. Different texts look different: a backslash that could be read
 * as an escape is doubled.
 */
export function escapeUnambiguously(text: string): string {
  return text.replace(linePattern, escapeCharacter)
}

/** Like `escapeUnambiguously`, but keeps line breaks. */
export function escapeLinesUnambiguously(text: string): string {
  return text.split('\n').map(escapeUnambiguously).join('\n')
}

const terminalControls = /(?!\r?\n|\t)[\x00-\x1f\x7f-\x9f]/g

/** Escapes control characters in the output of a command, in the notation of JSON, so that a terminal does not execute them. */
export function escapeControls(text: string): string {
  return text.replace(terminalControls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
