import { withoutByteOrderMark } from './decode-bytes.ts'

/**
 * Reads the body of a response of `fetch` as text. Decompressed bytes are counted.
 * @throws Error as soon as more than `maxBytes` have arrived.
 */
export async function readBodyText(response: Response, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) throw new Error(`the answer is over ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return withoutByteOrderMark(Buffer.concat(pieces)).toString('utf8')
}
