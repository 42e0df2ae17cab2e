/** Returns a position at which a text can be cut, in UTF-16 units: `at`, or one less if `at` splits a surrogate pair. */
export function cutPosition(text: string, at: number): number {
  return isSecondHalf(text.charCodeAt(at)) && isFirstHalf(text.charCodeAt(at - 1)) ? at - 1 : at
}

/** The first `maxUnits` UTF-16 units of a text, or one less. */
export const truncateText = (text: string, maxUnits: number) => text.slice(0, cutPosition(text, maxUnits))

/**
 * Returns the start and the end of the middle that a text must lose to have about `maxUnits` units; undefined if it fits.
 * @param endUnits the length of the text after the middle, in units.
 */
export function findMiddle(text: string, maxUnits: number, endUnits: number): [from: number, to: number] | undefined {
  if (text.length <= maxUnits) return undefined
  return [cutPosition(text, maxUnits - endUnits), cutPosition(text, text.length - endUnits)]
}

/**
 * Shortens a text to about `maxUnits` units: its beginning, a line that says how much is omitted, and its end.
 * @param endUnits the length of the end, in units.
 */
export function cutMiddle(
  text: string,
  maxUnits: number,
  endUnits: number,
  describeOmission: (units: number) => string,
): string {
  const middle = findMiddle(text, maxUnits, endUnits)
  if (!middle) return text
  const [from, to] = middle
  return `${text.slice(0, from)}\n[… ${describeOmission(to - from)} …]\n${text.slice(to)}`
}

/** Whether a UTF-16 unit is the first half of a surrogate pair. */
export const isFirstHalf = (unit: number) => (unit & 0xfc00) === 0xd800
const isSecondHalf = (unit: number) => (unit & 0xfc00) === 0xdc00
