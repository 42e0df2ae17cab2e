import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { Sink, TransportFailure } from './upstream.ts'

const decoders = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress as typeof createGunzip],
  ['zstd', createZstdDecompress as typeof createGunzip],
])

/** Pauses and resumes the input of a decoder whose buffer is full. */
export type Source = { hold: () => void; release: () => void }

/**
 * Decompresses an answer for a sink. Some upstreams compress although the request forbids it. Pausing also pauses the
 * decoder, which buffers output.
 */
export class DecodingSink implements Sink {
  readonly #sink: Sink
  readonly #source: Source
  #decoder: ReturnType<typeof createGunzip> | undefined
  #isOver = false

  constructor(sink: Sink, source: Source) {
    this.#sink = sink
    this.#source = source
  }

  head(status: number, headers: Parameters<Sink['head']>[1]): void {
    const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
    const create = decoders.get(encoding)
    if (create) this.#start(create)
    this.#sink.head(status, headers)
  }

  data(chunk: Buffer): void {
    if (!this.#decoder) this.#sink.data(chunk)
    else if (!this.#decoder.write(chunk)) this.#source.hold()
  }

  end(): void {
    if (this.#decoder) this.#decoder.end()
    else if (this.#finishes()) this.#sink.end()
  }

  failed(failure: TransportFailure): void {
    if (this.#finishes()) this.#sink.failed(failure)
  }

  pause(): void {
    this.#decoder?.pause()
  }

  resume(): void {
    this.#decoder?.resume()
  }

  #start(create: typeof createGunzip): void {
    const decoder = create()
    this.#decoder = decoder
    decoder.on('data', (chunk: Buffer) => this.#isOver || this.#sink.data(chunk))
    decoder.on('drain', () => this.#isOver || this.#source.release())
    decoder.on('end', () => this.#finishes() && this.#sink.end())
    decoder.on('error', ({ message }) => this.failed({ kind: 'reset', phase: 'answer', message }))
  }

  /** Marks the end. @returns false if it was reached before. */
  #finishes(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#decoder?.destroy()
    return true
  }
}
