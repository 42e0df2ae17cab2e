/** Returns a position at which a text can be cut, in UTF-16 units: `at`, or one less if `at` splits a surrogate pair. */
export function cutPosition(text: string, at: number): number {
  return isSecondHalf(text.charCodeAt(at)) && isFirstHalf(text.charCodeAt(at - 1)) ? at - 1 : at
}

/** The first `maxUnits` UTF-16 units of a text, or one less. */
export const truncateText = (text: string, maxUnits: number) => text.slice(0, cutPosition(text, maxUnits))

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
  if (text.length <= maxUnits) return text
  const [from, to] = [cutPosition(text, maxUnits - endUnits), cutPosition(text, text.length - endUnits)]
  return `${text.slice(0, from)}\n[… ${describeOmission(to - from)} …]\n${text.slice(to)}`
}

/** Whether a UTF-16 unit is the first half of a surrogate pair. */
export const isFirstHalf = (unit: number) => (unit & 0xfc00) === 0xd800
const isSecondHalf = (unit: number) => (unit & 0xfc00) === 0xdc00
