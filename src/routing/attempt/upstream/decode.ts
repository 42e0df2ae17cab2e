import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { Sink } from './send.ts'

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** A sink and what holds it back: a decoder has bytes of its own that must wait for a slow reader, too. */
export type Decoding = { sink: Sink; pause: () => void; resume: () => void }

/** Stops and lets go on what feeds a decoder, so that it never has more before it than it can hold. */
export type Source = { hold: () => void; release: () => void }

/** Gives a sink the plain bytes of an answer, which some upstreams compress though they were asked not to. */
export function decoded(sink: Sink, source: Source): Decoding {
  let decoder: ReturnType<typeof createGunzip> | undefined
  let over = false
  const finish = (tell: () => void) => {
    if (over) return
    over = true
    decoder?.destroy()
    tell()
  }
  const start = (create: typeof createGunzip) => {
    decoder = create()
    decoder.on('data', (chunk: Buffer) => over || sink.data(chunk))
    decoder.on('drain', () => over || source.release())
    decoder.on('end', () => finish(sink.end))
    decoder.on('error', ({ message }) => finish(() => sink.failed({ kind: 'reset', phase: 'answer', message })))
  }
  return {
    sink: {
      head(status, headers) {
        const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
        const create = decoders[encoding as keyof typeof decoders] as typeof createGunzip | undefined
        if (create) start(create)
        sink.head(status, headers)
      },
      data(chunk) {
        if (!decoder) sink.data(chunk)
        else if (!decoder.write(chunk)) source.hold()
      },
      end: () => (decoder ? void decoder.end() : finish(sink.end)),
      failed: (failure) => finish(() => sink.failed(failure)),
    },
    pause: () => void decoder?.pause(),
    resume: () => void decoder?.resume(),
  }
}
