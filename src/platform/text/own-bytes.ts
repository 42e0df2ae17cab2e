/**
 * Copies of small pieces, in separate memory. Node takes small buffers from a pool of 64 kB, which a piece that is
 * kept for long holds as a whole.
 */
export function ownBytes<Name extends string>(pieces: Record<Name, Uint8Array>): Record<Name, Buffer> {
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

/** The same for one piece of text, a character for each byte. */
export function ownLatin1(text: string): Buffer {
  const memory = Buffer.allocUnsafeSlow(text.length)
  memory.write(text, 'latin1')
  return memory
}

export function ownUtf8(text: string): Buffer {
  const memory = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  memory.write(text)
  return memory
}
