import type { Speech } from '#chat/events.ts'
import type { ResponseHead } from '../../protocol/client-protocol.ts'

/** The id of speech. Clients require an id, although later messages can refer only to speech of OpenAI. */
export const toSpeechId = ({ id }: ResponseHead) => `audio_${id}`

type AudioOptions = { format?: unknown } | null | undefined

/**
 * Writes the speech of a whole response. Samples without a header get the header of a WAV file, the usual format of whole responses,
 * unless the client requests samples. Streams contain samples.
 */
export function writeSpeech(head: ResponseHead, pieces: readonly Speech[], transcript: string): object {
  const bytes = Buffer.concat(pieces.map(({ data }) => Buffer.from(data, 'base64')))
  const { mediaType } = pieces[0]!
  const { format } = (head.request?.audio as AudioOptions) ?? {}
  const isRaw = /^audio\/(?:l16|pcm)\b/i.test(mediaType) && format !== 'pcm16'
  const data = (isRaw ? withWavHeader(bytes, readRate(mediaType)) : bytes).toString('base64')
  // The speech expires at once, because this service does not store it for later messages.
  return { id: toSpeechId(head), data, transcript, expires_at: head.createdSeconds }
}

const defaultRateHz = 24_000
const headerBytes = 44
const bytesPerSample = 2

const readRate = (mediaType: string) => Number(/\brate=(\d{4,6})\b/.exec(mediaType)?.[1] ?? defaultRateHz)

/** A WAV file of one channel with samples of 16 bits. */
function withWavHeader(samples: Buffer, rate: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.write('RIFF', 0)
  // The length of the file does not include this field and the one before it.
  header.writeUInt32LE(headerBytes - 8 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  // The format: 16 bytes, PCM, one channel.
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * bytesPerSample, 28)
  header.writeUInt16LE(bytesPerSample, 32)
  header.writeUInt16LE(8 * bytesPerSample, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}
