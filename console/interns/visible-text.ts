/** Invisible characters, except line ends, tabs and the variation selectors of emoji. */
const invisibleCharacters =
  /(?![\n\t])\p{Cc}|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}/gu

/**
 * Escapes invisible characters, and those that change how other text is displayed, in text of agents: `\x1b`, `\u202e`.
 * Existing escapes stay as they are.
 */
export const escapeInvisible = (text: string): string =>
  text.replace(invisibleCharacters, (character) => {
    const code = character.codePointAt(0)!
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`
  })
