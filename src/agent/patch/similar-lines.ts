const limits = {
  /** Above this number of comparisons, only lines with the same words in the same order count as similar, to bound the time. */
  comparisons: 200_000,
  /** Only the first lines of the wanted ones are compared. */
  comparedLines: 40,
  formattedLines: 30,
  lineLength: 500,
}

/** Returns the index at which the lines of a file are most similar to the wanted lines; -1 if nothing is similar. */
export function findNearestIndex(lines: string[], wantedLines: string[], from = 0): number {
  const comparedLines = wantedLines.slice(0, limits.comparedLines)
  const isTooExpensive = lines.length * comparedLines.length > limits.comparisons
  const similarity = isTooExpensive ? scoreEquality : scoreCommonWords
  const split = isTooExpensive ? (line: string) => [wordsOf(line).join(' ')] : wordsOf
  const words = lines.map(split)
  const comparedWords = comparedLines.map(split)
  let best = { at: -1, score: 0 }
  for (let at = from; at < lines.length; at++) {
    const score = comparedWords.reduce((sum, each, index) => sum + similarity(each, words[at + index]), 0)
    if (score > best.score) best = { at, score }
  }
  return best.at
}

const wordsOf = (line: string) => line.match(/\w+|[^\w\s]/g) ?? []

/** Lines with a lower share of common words are not similar. */
const minShare = 0.5

/** Returns a number from `minShare` to 1, or 0 if the lines have less in common. The order of words does not count. */
function scoreCommonWords(one: string[], other: string[] | undefined): number {
  if (!other || one.length === 0 || other.length === 0) return 0
  const otherWords = new Set(other)
  const common = one.filter((word) => otherWords.has(word)).length
  const share = (2 * common) / (one.length + other.length)
  // A repeated word of `one` counts each time, so the share can exceed 1.
  return share >= minShare ? Math.min(share, 1) : 0
}

function scoreEquality([one]: string[], other: string[] | undefined): number {
  return one && one === other?.[0] ? 1 : 0
}

/** Formats lines of a file like read_file. */
export function formatLines(lines: string[], from: number, count: number): string {
  const first = Math.max(0, from)
  const allLines = lines.at(-1) === '' ? lines.slice(0, -1) : lines
  return allLines
    .slice(first, first + Math.min(count, limits.formattedLines))
    .map(
      (line, index) =>
        `${first + index + 1}\t${line.length > limits.lineLength ? `${line.slice(0, limits.lineLength)}…` : line}`,
    )
    .join('\n')
}
