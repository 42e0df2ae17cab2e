/** A range of a text, in UTF-16 code units; the end is exclusive. */
export type Span = { start: number; end: number }

/** Finds the matches of one filter: ordered, without overlaps. Takes linear time in the length of the text. */
export type FindSpans = (text: string) => Span[]

/** A range and the text that replaces it. */
export type Replacement = Span & { label: string }

/**
 * Replaces ranges by labels. Overlapping ranges get one label together: that of the longest, or of the first one in the
 * list.
 */
export function replaceSpans(text: string, replacements: readonly Replacement[]): string {
  const sorted = replacements.toSorted((a, b) => a.start - b.start)
  const pieces: string[] = []
  let copiedTo = 0
  let index = 0
  while (index < sorted.length) {
    let longest = sorted[index]!
    let { end } = longest
    const { start } = longest
    index++
    while (index < sorted.length && sorted[index]!.start < end) {
      const next = sorted[index]!
      if (next.end - next.start > longest.end - longest.start) longest = next
      end = Math.max(end, next.end)
      index++
    }
    pieces.push(text.slice(copiedTo, start), longest.label)
    copiedTo = end
  }
  pieces.push(text.slice(copiedTo))
  return pieces.join('')
}

/** Merges matches of several kinds: sorts them, and joins overlapping ones. */
export function mergeSpans(spans: Span[]): Span[] {
  const merged: Span[] = []
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last && start < last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** Finds all matches of a global pattern that `accepts` does not reject. */
export function findMatches(
  text: string,
  pattern: RegExp,
  accepts: (match: RegExpExecArray) => boolean = () => true,
): Span[] {
  return findSpans(text, pattern, (match) => (accepts(match) ? spanOf(match) : undefined))
}

/** Finds the part of each match of a global pattern that `toSpan` returns. Empty matches have none. */
export function findSpans(text: string, pattern: RegExp, toSpan: (match: RegExpExecArray) => Span | undefined): Span[] {
  const spans: Span[] = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    if (match[0] === '') pattern.lastIndex++
    else {
      const span = toSpan(match)
      if (span) spans.push(span)
    }
  }
  return spans
}

const spanOf = (match: RegExpExecArray): Span => ({ start: match.index, end: match.index + match[0].length })

/** The text before a position, at most `maxLength` characters, in lower case. */
export function textBefore(text: string, start: number, maxLength = 32): string {
  return text.slice(Math.max(0, start - maxLength), start).toLowerCase()
}
