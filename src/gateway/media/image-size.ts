import { gifSize } from './gif-size.ts'

export type ImageSize = { width: number; height: number }

/**
 * The width and height of an image in pixels. If decoders can find different sizes, the largest of them. Undefined if the
 * bytes do not prove a maximum, and for animations, of which models can bill each frame.
 */
export function imageSize(bytes: Buffer): ImageSize | undefined {
  const size = findReader(bytes)?.(bytes)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

/** Whether the bytes are an image, still or animated, in a format that models accept. Recognizes it by its first bytes. */
export function isImage(bytes: Buffer): boolean {
  return findReader(bytes) !== undefined || otherPictures.test(bytes.toString('latin1', 0, 12))
}

export function isGif(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, 3) === 'GIF'
}

/** BMP, TIFF, AVIF and HEIC; brands of image sequences are excluded. */
const otherPictures = /^(?:BM|II\*\0|MM\0\*|.{4}ftyp(?:avif|heic|heix|mif1))/s

type SizeReader = (bytes: Buffer) => ImageSize | undefined

function findReader(bytes: Buffer): SizeReader | undefined {
  if (isGif(bytes)) return gifSize
  if (bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return readPngSize
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return readWebpSize
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? readJpegSize : undefined
}

/** Reads chunk by chunk up to the pixels. A second header makes the size uncertain, because some decoders use the last one. */
const readPngSize: SizeReader = (bytes) => {
  let size: ImageSize | undefined
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    switch (bytes.toString('latin1', at + 4, at + 8)) {
      case 'IHDR':
        if (size || at + 16 > bytes.length) return undefined
        size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) }
        break
      // The header of an animation.
      case 'acTL':
        return undefined
      case 'IDAT':
        return size
    }
  }
  return undefined
}

/** The flag of an animation in the extended header of WebP. */
const animationFlag = 0x02

/** The canvas and its frame can differ; the larger one counts. */
const readWebpSize: SizeReader = (bytes) => {
  let canvas: ImageSize | undefined
  let at = 12
  while (at + 18 <= bytes.length) {
    const length = bytes.readUInt32LE(at + 4)
    switch (bytes.toString('latin1', at, at + 4)) {
      case 'VP8X':
        if (canvas || bytes[at + 8]! & animationFlag) return undefined
        canvas = { width: bytes.readUIntLE(at + 12, 3) + 1, height: bytes.readUIntLE(at + 15, 3) + 1 }
        break
      case 'VP8 ':
        return maxSize(canvas, readLossySize(bytes, at + 8))
      case 'VP8L':
        return maxSize(canvas, readLosslessSize(bytes, at + 8))
      case 'ANIM':
      case 'ANMF':
        return undefined
    }
    at += 8 + length + (length & 1)
  }
  return undefined
}

/** Reads the header of a VP8 frame: a start code, then two sizes of 14 bits. */
function readLossySize(bytes: Buffer, at: number): ImageSize | undefined {
  if (bytes.readUIntBE(at + 3, 3) !== 0x9d012a) return undefined
  return { width: bytes.readUInt16LE(at + 6) & 0x3fff, height: bytes.readUInt16LE(at + 8) & 0x3fff }
}

/** Reads the header of a VP8L frame: a signature, then two sizes of 14 bits, less one. */
function readLosslessSize(bytes: Buffer, at: number): ImageSize | undefined {
  if (bytes[at] !== 0x2f) return undefined
  const bits = bytes.readUInt32LE(at + 1)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

/** Reads segment by segment up to the pixels. If there are several frame headers, decoders differ in which they use. */
const readJpegSize: SizeReader = (bytes) => {
  let size: ImageSize | undefined
  let at = 2
  while (at + 4 <= bytes.length) {
    const marker = bytes[at + 1]!
    if (bytes[at] !== 0xff) return undefined
    if (marker === startOfPixelsMarker) return size
    if (isFrameHeader(marker)) {
      if (at + 9 > bytes.length) return undefined
      const frame = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
      // A height of 0 means that it follows the pixels.
      if (frame.height === 0) return undefined
      size = maxSize(size, frame)
    }
    if (marker === 0xff) at += 1
    else at += hasNoLength(marker) ? 2 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

const startOfPixelsMarker = 0xda

/** Markers from c0 to cf start a frame, except for three: Huffman tables, an extension and arithmetic coding. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

const hasNoLength = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** Returns the maximum of two sizes, or `size` if there is no earlier one. Undefined if `size` is unknown. */
function maxSize(earlier: ImageSize | undefined, size: ImageSize | undefined): ImageSize | undefined {
  if (!earlier || !size) return size
  return { width: Math.max(earlier.width, size.width), height: Math.max(earlier.height, size.height) }
}
