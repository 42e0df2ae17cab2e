const limits = {
  /** Above this number of comparisons, only lines with the same words in the same order count as similar, to bound the time. */
  comparisons: 200_000,
  /** The number of given lines that are searched. */
  searchedLines: 40,
  formattedLines: 30,
  lineLength: 500,
}

/** Returns the index at which the file is most similar to the given lines; -1 if nothing is similar. */
export function findNearestIndex(lines: string[], searched: string[], from = 0): number {
  const searchedLines = searched.slice(0, limits.searchedLines)
  const isTooExpensive = lines.length * searchedLines.length > limits.comparisons
  const similarity = isTooExpensive ? equality : shareOfCommonWords
  const split = isTooExpensive ? (line: string) => [wordsOf(line).join(' ')] : wordsOf
  const words = lines.map(split)
  const searchedWords = searchedLines.map(split)
  let best = { at: -1, score: 0 }
  for (let at = from; at < lines.length; at++) {
    const score = searchedWords.reduce((sum, each, index) => sum + similarity(each, words[at + index]), 0)
    if (score > best.score) best = { at, score }
  }
  return best.at
}

const wordsOf = (line: string) => line.match(/\w+|[^\w\s]/g) ?? []

/** Lines with a lower share of common words are not similar. */
const minShare = 0.5

/** Returns a number from `minShare` to 1, or 0 if the lines have less in common. The order of words does not count. */
function shareOfCommonWords(one: string[], other: string[] | undefined): number {
  if (!other || one.length === 0 || other.length === 0) return 0
  const otherWords = new Set(other)
  const common = one.filter((word) => otherWords.has(word)).length
  const share = (2 * common) / (one.length + other.length)
  // A repeated word of `one` counts each time, so the share can exceed 1.
  return share >= minShare ? Math.min(share, 1) : 0
}

function equality([one]: string[], other: string[] | undefined): number {
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
