import { FileError } from './file-error.ts'

export type Body = AsyncIterable<Uint8Array>

/** Passes on what comes, and no more than so many bytes of it. */
export async function* bounded(body: Body, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    yield piece
  }
}

export const tooLarge = (maxBytes: number) =>
  new FileError(
    'too_large',
    `is more than the ${maxBytes} bytes that fit, by the intern's disk limit or by the service's for uploads`,
  )
