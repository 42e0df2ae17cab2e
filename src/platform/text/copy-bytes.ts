/**
 * Copies small pieces into separate memory. Node allocates small buffers from a pool of 64 kB, and each of them keeps the
 * whole pool in memory.
 */
export function copyBytes<Name extends string>(pieces: Record<Name, Uint8Array>): Record<Name, Buffer> {
  const all = Object.entries<Uint8Array>(pieces)
  const memory = Buffer.allocUnsafeSlow(all.reduce((sum, [, { length }]) => sum + length, 0))
  let at = 0
  const copies = all.map(([name, piece]) => {
    memory.set(piece, at)
    at += piece.length
    return [name, memory.subarray(at - piece.length, at)]
  })
  return Object.fromEntries(copies) as Record<Name, Buffer>
}

/** Encodes a latin1 string into separate memory, outside of Node's pool. */
export function bufferOfLatin1(text: string): Buffer {
  const memory = Buffer.allocUnsafeSlow(text.length)
  memory.write(text, 'latin1')
  return memory
}

export function bufferOfUtf8(text: string): Buffer {
  const memory = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  memory.write(text)
  return memory
}
