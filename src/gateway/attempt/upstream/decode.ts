import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import type { Sink, TransportFailure } from './upstream.ts'

type Decoder = Transform

/** Creates the decoder of a response that starts with `prefix`. Undefined if the response is not encoded after all. */
type DecoderFactory = (prefix: Buffer) => Decoder | undefined

const zstdMagic = 0xfd2fb528

/** The decoder factories by the name of their encoding. */
const decoderFactories = new Map<string, DecoderFactory>([
  ['gzip', createGzipDecoder],
  ['x-gzip', createGzipDecoder],
  ['deflate', (prefix) => (isZlibPrefix(prefix) ? createInflate() : createInflateRaw())],
  ['br', () => createBrotliDecompress()],
  ['zstd', (prefix) => (prefix.readUInt32LE() === zstdMagic ? createZstdDecompress() : undefined)],
])

/** Undefined if the response is not compressed: some proxies decompress a response without removing the header. */
function createGzipDecoder(prefix: Buffer): Decoder | undefined {
  return isGzipPrefix(prefix) ? createGunzip() : undefined
}

const isGzipPrefix = (prefix: Buffer) => prefix[0] === 0x1f && prefix[1] === 0x8b

/** Some servers send `deflate` without the header of zlib. */
const isZlibPrefix = (prefix: Buffer) => (prefix[0]! & 0x0f) === 8 && prefix.readUInt16BE() % 31 === 0

/** The number of bytes that are needed to recognize an encoding. */
const prefixLength = 4

const noBytes = Buffer.alloc(0)

/** The encodings of a response, in the order in which they were applied. */
function listEncodings(header: string | string[] | undefined): string[] {
  if (header === undefined) return []
  return String(header)
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
}

/** The source of a response. A full decoder pauses it, and resumes it when its buffer is empty. */
export type DecoderSource = { pauseSource: () => void; resumeSource: () => void }

/**
 * Decompresses a response for a sink, because some upstreams compress although the request forbids it. A paused reader must also
 * call `pause` of this object: the decoder would continue to emit what it has buffered.
 */
export class DecodingSink implements Sink {
  #sink: Sink
  readonly #source: DecoderSource
  /** The factory for the announced encoding, until the prefix of the response has arrived. */
  #pendingFactory: DecoderFactory | undefined
  /** The first bytes of the response, until they suffice to recognize its encoding. */
  #prefix: Buffer = noBytes
  #decoder: Decoder | undefined
  #hasStarted = false
  #hasEnded = false

  constructor(sink: Sink, source: DecoderSource) {
    this.#sink = sink
    this.#source = source
  }

  head(status: number, headers: Parameters<Sink['head']>[1]): void {
    const encodings = listEncodings(headers['content-encoding'])
    this.#pendingFactory = decoderFactories.get(encodings.pop() ?? 'identity')
    // The encodings that were applied before this one are decoded after it.
    if (encodings.length > 0) this.#sink = new DecodingSink(this.#sink, this.#source)
    this.#sink.head(status, encodings.length > 0 ? { ...headers, 'content-encoding': encodings.join() } : headers)
  }

  data(chunk: Buffer): void {
    // Some proxies remove the header of a compressed response. No JSON and no event starts like this.
    if (!this.#hasStarted && isGzipPrefix(chunk)) this.#pendingFactory ??= createGzipDecoder
    this.#hasStarted = true
    if (!this.#pendingFactory) return this.#write(chunk)
    this.#prefix = Buffer.concat([this.#prefix, chunk])
    if (this.#prefix.length >= prefixLength) this.#startDecoder(this.#pendingFactory(this.#prefix))
  }

  end(): void {
    // A response without a complete prefix is too short to be encoded.
    if (this.#pendingFactory) this.#startDecoder(undefined)
    if (this.#decoder) this.#decoder.end()
    else if (this.#endOnce()) this.#sink.end()
  }

  fail(failure: TransportFailure): void {
    if (this.#endOnce()) this.#sink.fail(failure)
  }

  pause(): void {
    this.#decoder?.pause()
  }

  resume(): void {
    this.#decoder?.resume()
  }

  /** Passes the prefix to the decoder. @param decoder undefined for a response that is not encoded. */
  #startDecoder(decoder: Decoder | undefined): void {
    const prefix = this.#prefix
    this.#pendingFactory = undefined
    this.#prefix = noBytes
    if (decoder) this.#listen(decoder)
    if (prefix.length > 0) this.#write(prefix)
  }

  #write(chunk: Buffer): void {
    if (!this.#decoder) this.#sink.data(chunk)
    else if (!this.#decoder.write(chunk)) this.#source.pauseSource()
  }

  #listen(decoder: Decoder): void {
    this.#decoder = decoder
    decoder.on('data', (chunk: Buffer) => {
      if (!this.#hasEnded) this.#sink.data(chunk)
    })
    decoder.on('drain', () => {
      if (!this.#hasEnded) this.#source.resumeSource()
    })
    decoder.on('end', () => {
      if (this.#endOnce()) this.#sink.end()
    })
    decoder.on('error', ({ message }) => this.fail({ kind: 'reset', phase: 'response', message }))
  }

  /** Marks the end. @returns false if it was reached before. */
  #endOnce(): boolean {
    if (this.#hasEnded) return false
    this.#hasEnded = true
    this.#decoder?.destroy()
    return true
  }
}
