/**
 * Copies small pieces into separate memory. Node allocates small buffers from a pool of 64 kB, and each of them keeps the
 * whole pool in memory.
 */
export function copyBytes<Name extends string>(pieces: Record<Name, Uint8Array>): Record<Name, Buffer> {
  const namedPieces = Object.entries<Uint8Array>(pieces)
  const memory = Buffer.allocUnsafeSlow(namedPieces.reduce((sum, [, { length }]) => sum + length, 0))
  let offset = 0
  const copies = namedPieces.map(([name, piece]) => {
    memory.set(piece, offset)
    offset += piece.length
    return [name, memory.subarray(offset - piece.length, offset)]
  })
  return Object.fromEntries(copies) as Record<Name, Buffer>
}

/** Encodes a latin1 string into separate memory, outside of Node's pool. */
export function encodeLatin1(text: string): Buffer {
  const memory = Buffer.allocUnsafeSlow(text.length)
  memory.write(text, 'latin1')
  return memory
}

/** Encodes a string as UTF-8 into separate memory, outside of Node's pool. */
export function encodeUtf8(text: string): Buffer {
  const memory = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  memory.write(text)
  return memory
}
