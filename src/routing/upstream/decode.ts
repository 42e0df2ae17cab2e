import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { Sink } from './send.ts'

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** A sink that sees the plain bytes of an answer, which some upstreams compress though they were asked not to. */
export function decoded(sink: Sink): Sink {
  let decoder: ReturnType<typeof createGunzip> | undefined
  return {
    head(status, headers) {
      const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
      const create = decoders[encoding as keyof typeof decoders] as typeof createGunzip | undefined
      if (create) {
        decoder = create()
        decoder.on('data', sink.data)
        decoder.on('end', sink.end)
        decoder.on('error', (error) => sink.failed({ kind: 'reset', phase: 'answer', message: error.message }))
      }
      sink.head(status, headers)
    },
    data: (chunk) => (decoder ? void decoder.write(chunk) : sink.data(chunk)),
    end: () => (decoder ? void decoder.end() : sink.end()),
    failed(failure) {
      decoder?.destroy()
      sink.failed(failure)
    },
  }
}
