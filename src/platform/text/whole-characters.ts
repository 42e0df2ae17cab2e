/** Where a text may be cut in UTF-16 units: `at`, or one before it where that is between the two halves of a character. */
export function cutPlace(text: string, at: number): number {
  return isSecondHalf(text.charCodeAt(at)) && isFirstHalf(text.charCodeAt(at - 1)) ? at - 1 : at
}

/** The beginning of a text: `most` units, or one less. */
export const beginningOf = (text: string, most: number) => text.slice(0, cutPlace(text, most))

/**
 * The beginning and the end of a text that is longer than about `most` units, and between them a line about what is missing.
 * @param tail so much of it is its end.
 */
export function cutMiddle(text: string, most: number, tail: number, missing: (units: number) => string): string {
  if (text.length <= most) return text
  const [from, to] = [cutPlace(text, most - tail), cutPlace(text, text.length - tail)]
  return `${text.slice(0, from)}\n[… ${missing(to - from)} …]\n${text.slice(to)}`
}

const isFirstHalf = (unit: number) => (unit & 0xfc00) === 0xd800
const isSecondHalf = (unit: number) => (unit & 0xfc00) === 0xdc00
