import { finished, Readable } from 'node:stream'
import { Fault } from '../../core/fault.ts'
import { HttpResponse } from '../route.ts'

type Download = { status?: number; name: string; type: string; body: AsyncIterable<Uint8Array> }

/**
 * Sends a file with untrusted content. Browsers save it and never show or run it as a page of this service. If reading fails
 * midway, the connection is broken.
 */
export function download(
  { status = 200, name, type, body }: Download,
  headers: Record<string, string> = {},
): HttpResponse {
  return new HttpResponse(
    status,
    {
      'content-type': type,
      'content-disposition': `attachment; filename*=UTF-8''${encodeFileName(name)}`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
      ...headers,
    },
    Readable.from(convertErrors(body), { objectMode: false }),
  )
}

/** A failure before the first byte is still sent as an error. */
async function* convertErrors(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault('bad_gateway', 'The download was interrupted.')
  }
}

/** Resolves when a download ends or fails. */
export function waitForDownload({ body }: HttpResponse): Promise<void> {
  return new Promise((resolve) => void finished(body as Readable, () => resolve()))
}

/** Encodes a file name by RFC 8187. */
const encodeFileName = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
