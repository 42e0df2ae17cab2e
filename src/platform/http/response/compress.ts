import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { Encoding } from './accept-encoding.ts'

const brotli = promisify(brotliCompress)

/** Brotli's default of 11 takes many times as long. It is meant for files that are compressed once. */
const brotliQuality = 5

const compressors: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    brotli(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: promisify<Buffer, Buffer>(gzip),
  zstd: promisify<Buffer, Buffer>(zstdCompress),
}

const cache = new WeakMap<Buffer, Partial<Record<Encoding, Promise<Buffer>>>>()

/** Compresses outside the main thread, once for each buffer and encoding. The result lives as long as the buffer. */
export function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  const cached = cache.getOrInsertComputed(bytes, () => ({}))
  cached[encoding] ??= compressors[encoding](bytes).catch((error: unknown) => {
    cache.delete(bytes)
    throw error
  })
  return cached[encoding]
}
