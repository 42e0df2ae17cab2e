/**
 * The size of a GIF with one frame: the larger of its screen and its frame, because decoders enlarge the screen to the
 * frame. Undefined for an invalid file, and for an animation, of which models can bill each frame.
 * @param bytes the whole file.
 */
export function gifSize(bytes: Buffer): { width: number; height: number } | undefined {
  if (bytes.length < 13) return undefined
  let width = bytes.readUInt16LE(6)
  let height = bytes.readUInt16LE(8)
  let frames = 0
  let at = 13 + colorTableBytes(bytes[10]!)
  while (at < bytes.length && bytes[at] !== trailerMarker) {
    if (bytes[at] === extensionMarker) at = skipBlocks(bytes, at + 2)
    else if (bytes[at] === frameMarker && at + 10 <= bytes.length && ++frames === 1) {
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5))
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7))
      at = skipBlocks(bytes, at + 11 + colorTableBytes(bytes[at + 9]!))
    } else return undefined
  }
  return frames === 1 ? { width, height } : undefined
}

const extensionMarker = 0x21
const frameMarker = 0x2c
const trailerMarker = 0x3b

/** The bytes of the color table that follows these flags. */
function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

/** The position after a list of blocks. Each starts with its length, and an empty one ends the list. */
function skipBlocks(bytes: Buffer, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!
  return at + 1
}
