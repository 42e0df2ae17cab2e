/** A line that grew over its limit before it ended. */
export class LineTooLong extends Error {
  constructor(maxBytes: number) {
    super(`A line is longer than ${maxBytes} bytes.`)
  }
}

/**
 * Cuts a stream of bytes into lines of UTF-8 without their newline, and holds at most one unfinished line. Bytes are
 * counted before they are decoded, so that a line over `maxBytes` is never held.
 */
export function lineCutter(maxBytes: number): (chunk: Buffer) => string[] {
  let pieces: Buffer[] = []
  let held = 0
  return (chunk) => {
    const lines: string[] = []
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      if (held + end - from > maxBytes) throw new LineTooLong(maxBytes)
      const tail = chunk.subarray(from, end)
      lines.push(pieces.length ? Buffer.concat([...pieces, tail]).toString('utf8') : tail.toString('utf8'))
      pieces = []
      held = 0
      from = end + 1
    }
    if (from < chunk.length) {
      held += chunk.length - from
      if (held > maxBytes) throw new LineTooLong(maxBytes)
      // A copy: a slice would keep the whole chunk alive for as long as the line is unfinished.
      pieces.push(from === 0 ? chunk : Buffer.from(chunk.subarray(from)))
    }
    return lines
  }
}
