/** The Damerau–Levenshtein distance: insertions, deletions, substitutions and swaps of adjacent letters. */
export function editDistance(source: string, target: string): number {
  let rowBeforePrevious: number[] = []
  let previousRow = Array.from({ length: target.length + 1 }, (_, index) => index)
  for (let i = 0; i < source.length; i++) {
    const row = [i + 1]
    for (let j = 0; j < target.length; j++) {
      const isSwapped = i > 0 && j > 0 && source[i] === target[j - 1] && source[i - 1] === target[j]
      const swapped = isSwapped ? rowBeforePrevious[j - 1]! + 1 : Infinity
      row.push(
        Math.min(row[j]! + 1, previousRow[j + 1]! + 1, previousRow[j]! + (source[i] === target[j] ? 0 : 1), swapped),
      )
    }
    rowBeforePrevious = previousRow
    previousRow = row
  }
  return previousRow.at(-1)!
}
