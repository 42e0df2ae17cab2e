/**
 * Passes on output in complete lines, so that lines of several processes do not mix.
 * @returns a function that takes a piece of output. Without an argument it writes the incomplete last line.
 */
export function createLineWriter(write: (lines: string) => void): (piece?: string) => void {
  let partial = ''
  return (piece) => {
    if (piece === undefined) {
      if (partial !== '') write(`${partial}\n`)
      partial = ''
      return
    }
    const end = piece.lastIndexOf('\n') + 1
    if (end > 0) write(partial + piece.slice(0, end))
    partial = end > 0 ? piece.slice(end) : partial + piece
  }
}
