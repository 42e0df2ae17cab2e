/**
 * Passes what comes in pieces on in whole lines, so that lines of several processes do not run into each other.
 * @returns takes a piece; without one, the process has ended and what is left is a line.
 */
export function wholeLines(write: (lines: string) => void): (piece?: string) => void {
  let begun = ''
  return (piece) => {
    if (piece === undefined) {
      if (begun !== '') write(`${begun}\n`)
      begun = ''
      return
    }
    const end = piece.lastIndexOf('\n') + 1
    if (end > 0) write(begun + piece.slice(0, end))
    begun = end > 0 ? piece.slice(end) : begun + piece
  }
}
