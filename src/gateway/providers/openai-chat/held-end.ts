/**
 * The length of the end of a text that can belong to a mark, such as a tag: white space, and the start of the mark.
 * @param maxBlank the most white space that is held back.
 */
export function measureHeldEnd(text: string, mark: string, maxBlank: number): number {
  let markLength = Math.min(mark.length - 1, text.length)
  while (markLength > 0 && !text.endsWith(mark.slice(0, markLength))) markLength--
  const before = text.slice(Math.max(0, text.length - markLength - maxBlank), text.length - markLength)
  return markLength + before.length - before.trimEnd().length
}
