/** The code points of zero in each script. Unicode keeps the ten digits in order (`Nd`). ASCII is excluded. */
const zeros = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
  0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
  0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x10d40, 0x11066, 0x110f0, 0x11136, 0x111d0,
  0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x116d0, 0x116da, 0x11730, 0x118e0, 0x11950, 0x11bf0, 0x11c50, 0x11d50,
  0x11da0, 0x11de0, 0x11f50, 0x16130, 0x16a60, 0x16ac0, 0x16b50, 0x16d70, 0x1ccf0, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec,
  0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e5f1, 0x1e950, 0x1fbf0,
]

/** Converts a digit of any script to ASCII; undefined for other characters. */
export function digitOf(character: string): string | undefined {
  const code = character.codePointAt(0)!
  let low = 0
  let high = zeros.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (zeros[middle]! <= code) low = middle + 1
    else high = middle
  }
  const zero = zeros[low - 1]
  return zero !== undefined && code < zero + 10 ? String(code - zero) : undefined
}

const toUnicodeEscape = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`

/** The content of a character class with all digits of one UTF-16 unit. */
export const digitClass = zeros
  .filter((zero) => zero <= 0xffff)
  .map((zero) => `${toUnicodeEscape(zero)}-${toUnicodeEscape(zero + 9)}`)
  .join('')

/** The first units of all digits of two UTF-16 units. */
export const digitHighSurrogates = [
  ...new Set(
    zeros.filter((zero) => zero > 0xffff).map((zero) => toUnicodeEscape(String.fromCodePoint(zero).charCodeAt(0))),
  ),
].join('')
