import { ByteBuffer } from './byte-buffer.ts'
import { withoutByteOrderMark } from './decode-bytes.ts'

/**
 * Reads the body of a response of `fetch` as text. Decompressed bytes are counted.
 * @throws Error as soon as more than `maxBytes` have arrived.
 */
export async function readBodyText(response: Response, maxBytes: number): Promise<string> {
  const body = new ByteBuffer()
  for await (const piece of response.body ?? []) {
    body.add(Buffer.from(piece.buffer, piece.byteOffset, piece.length))
    // Leaving the loop closes the connection.
    if (body.byteLength > maxBytes) throw new Error(`the response is over ${maxBytes} bytes`)
  }
  return withoutByteOrderMark(body.take()).toString('utf8')
}
