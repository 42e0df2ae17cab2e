import { withoutMark } from './text-of-bytes.ts'

/**
 * The text of an answer to `fetch`, which unpacks it: the bytes are counted as they are then.
 * @throws Error when it is over `maxBytes`, before it is held.
 */
export async function bodyText(response: Response, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    // Leaving the loop hangs up.
    if (bytes > maxBytes) throw new Error(`the answer is over ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return withoutMark(Buffer.concat(pieces)).toString('utf8')
}
