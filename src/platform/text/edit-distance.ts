/** The Damerau–Levenshtein distance: insertions, deletions, substitutions and swaps of adjacent letters. */
export function editDistance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      const isSwapped = i > 0 && j > 0 && one[i] === other[j - 1] && one[i - 1] === other[j]
      const swapped = isSwapped ? before[j - 1]! + 1 : Infinity
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (one[i] === other[j] ? 0 : 1), swapped))
    }
    before = row
    row = next
  }
  return row.at(-1)!
}
