/** The syntax elements of a pattern that `estimateSize` counts, each as a pattern. */
const quotedText = String.raw`\\Q.*?(?:\\E|$)`
const escapeSequence = String.raw`\\[pP]\{[^}]{0,80}\}|\\x\{[^}]{0,20}\}|\\.`
const characterClass = String.raw`\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*(?:\]|$)`
const countedRepetition = String.raw`\{(?<min>\d+)(?:,(?<max>\d*))?\}`
const groupStart = String.raw`\((?:\?(?:P?<\w*>|[imsU-]*:?))?`
const token = new RegExp(
  `${quotedText}|${escapeSequence}|${characterClass}|${countedRepetition}|${groupStart}|.`,
  'gsu',
)

/**
 * Estimates the number of instructions of a compiled pattern without compiling it, because compilation can take seconds. A
 * counted repetition such as `(abc){500}` repeats its body that many times.
 */
export function estimateSize(pattern: string): number {
  const outerSizes: number[] = []
  /** The size of the innermost open group so far. */
  let total = 0
  /** The size of the last item, which a repetition after it repeats. */
  let last = 0
  const add = (size: number) => {
    total += size
    last = size
  }
  for (const { 0: text, groups: { min, max } = {} } of pattern.matchAll(token)) {
    if (text.startsWith('(')) {
      outerSizes.push(total)
      total = 0
    } else if (text === ')') {
      // Two instructions record the start and the end of the group.
      const body = total + 2
      total = outerSizes.pop() ?? 0
      add(body)
    } else if (min !== undefined) {
      const added = last * (repetitions(min, max) - 1)
      total += added
      last += added
    } else if (text.startsWith('\\Q')) {
      total += text.length
      last = 1
    } else if (/^[*+?|]$/.test(text)) {
      total += 1
      last += 1
    } else {
      add(1)
    }
  }
  return outerSizes.reduce((sum, size) => sum + size, total)
}

/** The number of copies of an item for `{min,max}`. An optional copy counts twice, because it adds one instruction to an item. */
function repetitions(min: string, max: string | undefined): number {
  const minimum = Number(min)
  if (max === undefined) return minimum
  return max === '' ? minimum + 1 : minimum + 2 * Math.max(0, Number(max) - minimum)
}
