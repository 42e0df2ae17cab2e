/** Audio and images with complete headers, from which sizes are read, and with incomplete pixels or sound. */

const bigEndianWords = (...numbers: number[]) => Buffer.from(numbers.flatMap((number) => [number >> 8, number & 0xff]))

type Side = number

function pngChunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, Buffer.from(name, 'latin1'), data, Buffer.alloc(4)])
}

export function pngHeader(width: Side, height: Side): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  return pngChunk('IHDR', data)
}

/** @param extraChunks chunks before the pixels. */
export function png(width: Side, height: Side, extraChunks: Buffer[] = [], bytes = 100): Buffer {
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const pixels = pngChunk('IDAT', Buffer.alloc(bytes))
  return Buffer.concat([signature, pngHeader(width, height), ...extraChunks, pixels, pngChunk('IEND', Buffer.alloc(0))])
}

export const pngAnimation = () => pngChunk('acTL', Buffer.alloc(8))

export type GifFrame = { width: Side; height: Side; x?: number; y?: number }

export function gif(width: Side, height: Side, frames: GifFrame[]): Buffer {
  const screen = Buffer.alloc(13)
  screen.write('GIF89a', 'latin1')
  screen.writeUInt16LE(width, 6)
  screen.writeUInt16LE(height, 8)
  const comment = Buffer.from([0x21, 0xfe, 2, 44, 44, 0])
  return Buffer.concat([screen, comment, ...frames.map(gifFrame), Buffer.from([0x3b])])
}

function gifFrame({ width, height, x = 0, y = 0 }: GifFrame): Buffer {
  const frame = Buffer.alloc(16)
  frame[0] = 0x2c
  for (const [at, number] of [x, y, width, height].entries()) frame.writeUInt16LE(number, 1 + 2 * at)
  frame.set([2, 3, 0x2c, 0x2c, 0x2c, 0], 10)
  return frame
}

function riffChunk(name: string, data: Buffer, statedLength = data.length): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(statedLength, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length & 1)])
}

const riff = (form: string, chunks: Buffer[]) => {
  const data = Buffer.concat([Buffer.from(form, 'latin1'), ...chunks])
  return riffChunk('RIFF', data)
}

export const webp = (chunks: Buffer[]) => riff('WEBP', chunks)

export function webpCanvas(width: Side, height: Side, flags = 0): Buffer {
  const data = Buffer.alloc(10)
  data[0] = flags
  data.writeUIntLE(width - 1, 4, 3)
  data.writeUIntLE(height - 1, 7, 3)
  return riffChunk('VP8X', data)
}

export function webpLossy(width: Side, height: Side): Buffer {
  const data = Buffer.alloc(40)
  data.set([0x9d, 0x01, 0x2a], 3)
  data.writeUInt16LE(0x4000 | width, 6)
  data.writeUInt16LE(0x8000 | height, 8)
  return riffChunk('VP8 ', data)
}

export function webpLossless(width: Side, height: Side): Buffer {
  const data = Buffer.alloc(40)
  data[0] = 0x2f
  data.writeUInt32LE(width - 1 + (height - 1) * 0x4000, 1)
  return riffChunk('VP8L', data)
}

export type JpegFrame = { width: Side; height: Side; marker?: number }

/** An application segment of eight bytes before the frames, as cameras write it. */
export function jpeg(frames: JpegFrame[]): Buffer {
  const segments = frames.map(({ width, height, marker = 0xc0 }) =>
    Buffer.concat([
      bigEndianWords(0xff00 | marker, 8),
      Buffer.from([8]),
      bigEndianWords(height, width),
      Buffer.from([1]),
    ]),
  )
  return Buffer.concat([
    bigEndianWords(0xffd8, 0xffe0, 8, 0, 0, 0),
    ...segments,
    bigEndianWords(0xffda, 2),
    Buffer.alloc(100),
  ])
}

export type WavFormat = {
  code?: number
  channels?: number
  samples?: number
  byteRate?: number
  frame?: number
  bits?: number
}

/** The values are consistent by default; each can be set to a wrong one. */
export function wavFormat({
  code = 1,
  channels = 1,
  samples = 16_000,
  bits = 16,
  ...statedValues
}: WavFormat = {}): Buffer {
  const { frame = (channels * bits) / 8, byteRate = samples * frame } = statedValues
  const data = Buffer.alloc(16)
  for (const [at, number] of [code, channels].entries()) data.writeUInt16LE(number, 2 * at)
  data.writeUInt32LE(samples, 4)
  data.writeUInt32LE(byteRate, 8)
  data.writeUInt16LE(frame, 12)
  data.writeUInt16LE(bits, 14)
  return riffChunk('fmt ', data)
}

export const wavData = (bytes: number, statedLength = bytes) => riffChunk('data', Buffer.alloc(bytes), statedLength)
export const wav = (chunks: Buffer[]) => riff('WAVE', chunks)

/** One frame of 8 kbit and 8 kHz, the longest that there is for its bytes: 72 bytes, 0.072 s. */
export function mp3Frame(content = '', bitRate = 1): Buffer {
  const frame = Buffer.alloc(72)
  frame.writeUInt32BE((0xffe30000 | (bitRate << 12) | (2 << 10) | 0xc0) >>> 0)
  frame.write(content, 13, 'latin1')
  return frame
}

export function mp3(frames: Buffer[]): Buffer {
  const tag = Buffer.alloc(30)
  tag.write('ID3\x04\0\0\0\0\0\x14', 'latin1')
  return Buffer.concat([tag, ...frames])
}

export const dataUrl = (mediaType: string, bytes: Buffer) => `data:${mediaType};base64,${bytes.toString('base64')}`
