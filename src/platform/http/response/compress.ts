import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { Encoding } from '../request/accept-encoding.ts'

const brotli = promisify(brotliCompress)
const compressors: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    brotli(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: promisify<Buffer, Buffer>(gzip),
  zstd: promisify<Buffer, Buffer>(zstdCompress),
}

type Form = { coming: Promise<Buffer>; done?: Buffer }

const forms = new WeakMap<Buffer, Partial<Record<Encoding, Form>>>()

/** Off the main thread, and once: bytes that stay for many answers keep their compressed forms as long as they live. */
export function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  const cached = forms.get(bytes) ?? {}
  forms.set(bytes, cached)
  cached[encoding] ??= begin(bytes, encoding)
  return cached[encoding].coming
}

/** The result of an earlier `compress`, if it is ready. */
export function alreadyCompressed(bytes: Buffer, encoding: Encoding): Buffer | undefined {
  return forms.get(bytes)?.[encoding]?.done
}

function begin(bytes: Buffer, encoding: Encoding): Form {
  const form: Form = { coming: compressors[encoding](bytes) }
  form.coming.then(
    (done) => {
      form.done = done
    },
    () => forms.delete(bytes),
  )
  return form
}
