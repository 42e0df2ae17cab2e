import { FileError } from './file-error.ts'

export type Body = AsyncIterable<Uint8Array>

/** Passes a body on. @throws FileError `too_large` above `maxBytes`. */
export async function* limitBytes(body: Body, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > maxBytes) throw tooLargeError(maxBytes)
    yield piece
  }
}

export const tooLargeError = (maxBytes: number) =>
  new FileError(
    'too_large',
    `exceeds the ${maxBytes} bytes that the intern's disk limit or the service's upload limit allows`,
  )
