import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import type { Sink, TransportFailure } from './upstream.ts'

type Decoder = ReturnType<typeof createGunzip>

/** Creates the decoder of an encoding for an answer that starts with these bytes. Undefined if it is not encoded. */
const decoders = new Map<string, (start: Buffer) => Decoder | undefined>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', (start) => (startsZlib(start) ? createInflate() : (createInflateRaw() as Decoder))],
  ['br', () => createBrotliDecompress() as Decoder],
  ['zstd', (start) => (start.readUInt32LE() === zstdMagic ? (createZstdDecompress() as Decoder) : undefined)],
])

const zstdMagic = 0xfd2fb528

/** Undefined if the answer is not compressed: some proxies decompress it without removing the header. */
function gunzip(start: Buffer): Decoder | undefined {
  return startsGzip(start) ? createGunzip() : undefined
}

const startsGzip = (chunk: Buffer) => chunk[0] === 0x1f && chunk[1] === 0x8b

/** Some servers send `deflate` without the header of zlib. */
const startsZlib = (start: Buffer) => (start[0]! & 0x0f) === 8 && start.readUInt16BE() % 31 === 0

/** The number of bytes that are needed to recognise an encoding. */
const startLength = 4

const noBytes = Buffer.alloc(0)

/** The encodings of an answer, in the order in which they were applied. */
function listEncodings(header: string | string[] | undefined): string[] {
  if (header === undefined) return []
  return String(header)
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
}

/** The input of a decoder, which is held while the buffer of the decoder is full. */
export type DecoderInput = { hold: () => void; release: () => void }

/**
 * Decompresses an answer for a sink. Some upstreams compress although the request forbids it. Pausing also pauses the
 * decoder, which buffers output.
 */
export class DecodingSink implements Sink {
  #sink: Sink
  readonly #input: DecoderInput
  #decoder: Decoder | undefined
  /** Creates the decoder once the first bytes have arrived. */
  #create: ((start: Buffer) => Decoder | undefined) | undefined
  #start: Buffer = noBytes
  #hasStarted = false
  #isOver = false

  constructor(sink: Sink, input: DecoderInput) {
    this.#sink = sink
    this.#input = input
  }

  head(status: number, headers: Parameters<Sink['head']>[1]): void {
    const encodings = listEncodings(headers['content-encoding'])
    this.#create = decoders.get(encodings.pop() ?? 'identity')
    // Each earlier encoding is decoded after this one.
    if (encodings.length > 0) this.#sink = new DecodingSink(this.#sink, this.#input)
    this.#sink.head(status, encodings.length > 0 ? { ...headers, 'content-encoding': encodings.join() } : headers)
  }

  data(chunk: Buffer): void {
    // Some proxies remove the header of a compressed answer. No JSON and no event starts like this.
    if (!this.#hasStarted && !this.#create && startsGzip(chunk)) this.#create = gunzip
    this.#hasStarted = true
    if (this.#create) this.#startDecoder(this.#create, Buffer.concat([this.#start, chunk]), startLength)
    else this.#decode(chunk)
  }

  end(): void {
    // However short the answer is, no more bytes follow.
    if (this.#create) this.#startDecoder(this.#create, this.#start, 0)
    if (this.#decoder) this.#decoder.end()
    else if (this.#finishOnce()) this.#sink.end()
  }

  failed(failure: TransportFailure): void {
    if (this.#finishOnce()) this.#sink.failed(failure)
  }

  pause(): void {
    this.#decoder?.pause()
  }

  resume(): void {
    this.#decoder?.resume()
  }

  #startDecoder(create: (start: Buffer) => Decoder | undefined, start: Buffer, minLength: number): void {
    this.#start = start
    if (start.length < minLength) return
    this.#create = undefined
    const decoder = start.length < startLength ? undefined : create(start)
    if (decoder) this.#listen(decoder)
    if (start.length > 0) this.#decode(start)
  }

  #decode(chunk: Buffer): void {
    if (!this.#decoder) this.#sink.data(chunk)
    else if (!this.#decoder.write(chunk)) this.#input.hold()
  }

  #listen(decoder: Decoder): void {
    this.#decoder = decoder
    decoder.on('data', (chunk: Buffer) => this.#isOver || this.#sink.data(chunk))
    decoder.on('drain', () => this.#isOver || this.#input.release())
    decoder.on('end', () => this.#finishOnce() && this.#sink.end())
    decoder.on('error', ({ message }) => this.failed({ kind: 'reset', phase: 'answer', message }))
  }

  /** Marks the end. @returns false if it was reached before. */
  #finishOnce(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#decoder?.destroy()
    return true
  }
}
