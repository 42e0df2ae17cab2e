/** Width and height of a picture as its first bytes say, in pixels. Undefined where they do not. */
export function imageSize(head: Buffer): { width: number; height: number } | undefined {
  for (const read of [png, gif, webp, jpeg]) {
    const size = read(head)
    if (size && size.width > 0 && size.height > 0) return size
  }
  return undefined
}

type Read = (head: Buffer) => { width: number; height: number } | undefined

const png: Read = (head) =>
  head.length >= 24 && head.readUInt32BE(0) === 0x89504e47
    ? { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
    : undefined

const gif: Read = (head) =>
  head.length >= 10 && head.toString('latin1', 0, 3) === 'GIF'
    ? { width: head.readUInt16LE(6), height: head.readUInt16LE(8) }
    : undefined

const webp: Read = (head) => {
  if (head.length < 30 || head.toString('latin1', 8, 12) !== 'WEBP') return undefined
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** Segment by segment, up to the one that begins the picture itself. */
const jpeg: Read = (head) => {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 < head.length; ) {
    if (head[at] !== 0xff) return undefined
    const marker = head[at + 1]!
    if (marker === 0xff) at++
    else if (isFrame(marker)) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) }
    else at += 2 + head.readUInt16BE(at + 2)
  }
  return undefined
}

/** Markers from c0 to cf begin a frame, except for three. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
