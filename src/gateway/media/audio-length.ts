type AudioFormat = 'wav' | 'mp3'

/**
 * The longest time in seconds that a recording can last. It limits the tokens for which a request reserves money, so where
 * decoders read a file differently, the longest result counts. Undefined if the bytes prove no limit.
 */
export function audioSeconds(bytes: Buffer, format: AudioFormat): number | undefined {
  return format === 'wav' ? wavSeconds(bytes) : mp3Seconds(bytes)
}

/** Reads all chunks: a header can claim more data than there is, and a second `fmt ` another rate. */
function wavSeconds(bytes: Buffer): number | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') return undefined
  let rate = Number.POSITIVE_INFINITY
  let length: number | undefined
  let at = 12
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32LE(at + 4)
    const name = bytes.toString('latin1', at, at + 4)
    if (name === 'fmt ') rate = Math.min(rate, wavByteRate(bytes.subarray(at + 8, at + 8 + size)))
    if (name === 'data') {
      if (rate === Number.POSITIVE_INFINITY) return undefined
      // A decoder can trust the declared size, or read to the end of the file.
      length = Math.max(bytes.length, length ?? 0, size)
    }
    // Chunks have an even length.
    at += 8 + size + (size & 1)
  }
  return length === undefined || !(rate > 0) ? undefined : length / rate
}

/** Codes of samples that all have the same size: PCM, floating point, A-law, µ-law. */
const supportedCodecs: ReadonlySet<number> = new Set([1, 3, 6, 7])
/** The code of an extensible header (`WAVE_FORMAT_EXTENSIBLE`), which has the code of its codec at byte 24. */
const extensibleFormatCode = 0xfffe

/** The lowest of the three declared rates in bytes per second, because decoders differ. 0 if unknown. */
function wavByteRate(format: Buffer): number {
  if (format.length < 16) return 0
  const code = format.readUInt16LE(0)
  const hasFixedSamples =
    code === extensibleFormatCode
      ? format.length >= 40 && supportedCodecs.has(format.readUInt16LE(24))
      : supportedCodecs.has(code)
  if (!hasFixedSamples) return 0
  const channels = format.readUInt16LE(2)
  const sampleRate = format.readUInt32LE(4)
  const byteRate = format.readUInt32LE(8)
  const frameBytes = format.readUInt16LE(12)
  const bits = format.readUInt16LE(14)
  return Math.min(byteRate, sampleRate * frameBytes, (sampleRate * channels * bits) / 8)
}

/** Bytes after the last frame: a tag, or a frame that was cut short. */
const maxTrailingBytes = 2048

/** Adds up the frames. A frame with a free bit rate has an unknown length and ends the reading. */
function mp3Seconds(bytes: Buffer): number | undefined {
  const start = skipTags(bytes)
  let at = start
  let seconds = 0
  for (let frame = readMp3Frame(bytes, at); frame; frame = readMp3Frame(bytes, at)) {
    seconds += frame.seconds
    at += frame.bytes
  }
  if (at === start || bytes.length - at > maxTrailingBytes) return undefined
  return Math.max(seconds, readClaimedSeconds(bytes, start))
}

/** The position after the ID3v2 tags at the start of a file. */
function skipTags(bytes: Buffer): number {
  let at = 0
  while (at + 10 <= bytes.length && bytes.toString('latin1', at, at + 3) === 'ID3') {
    // The size of a tag has seven bits in each of four bytes. A flag announces a footer.
    const size = [6, 7, 8, 9].reduce((sum, digit) => sum * 128 + (bytes[at + digit]! & 0x7f), 0)
    at += 10 + size + (bytes[at + 5]! & 0x10 ? 10 : 0)
  }
  return at
}

/** Bit rates of layer III, in kbit/s, for MPEG 1 and for the others. */
const bitRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const mpeg2BitRates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
/** Sample rates of MPEG 1, in Hz. */
const sampleRates = [44_100, 48_000, 32_000]
/** The divisor of `sampleRates` for each value of the version bits: MPEG 2.5, reserved, MPEG 2, MPEG 1. */
const rateDivisors = [4, 1, 2, 1]

type Mp3Frame = { bytes: number; seconds: number }

/** Reads the header of a frame: eleven set bits, then version, layer, bit rate, sample rate and padding. */
function readMp3Frame(bytes: Buffer, at: number): Mp3Frame | undefined {
  if (at + 4 > bytes.length) return undefined
  const header = bytes.readUInt32BE(at)
  const version = (header >>> 19) & 3
  const isLayer3 = header >>> 21 === 0x7ff && version !== 1 && ((header >>> 17) & 3) === 1
  const isMpeg1 = version === 3
  const bitRate = (isMpeg1 ? bitRates : mpeg2BitRates)[((header >>> 12) & 15) - 1]
  const fullRate = sampleRates[(header >>> 10) & 3]
  if (!isLayer3 || bitRate === undefined || fullRate === undefined) return undefined
  const sampleRate = fullRate / rateDivisors[version]!
  const samples = isMpeg1 ? 1152 : 576
  const padding = (header >>> 9) & 1
  // A kbit is 125 bytes.
  return { bytes: Math.floor((samples * bitRate * 125) / sampleRate) + padding, seconds: samples / sampleRate }
}

/** The length in seconds that encoders write into the first frame, as a number of frames at an offset after a mark. */
function readClaimedSeconds(bytes: Buffer, start: number): number {
  const { bytes: length, seconds } = readMp3Frame(bytes, start)!
  const frame = bytes.subarray(start, start + length)
  let frames = 0
  for (const [marker, countOffset] of [
    ['Xing', 8],
    ['Info', 8],
    ['VBRI', 14],
  ] as const) {
    const at = frame.indexOf(marker)
    if (at !== -1 && at + countOffset + 4 <= frame.length)
      frames = Math.max(frames, frame.readUInt32BE(at + countOffset))
  }
  return frames * seconds
}
