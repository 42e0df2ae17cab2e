import { createHash } from 'node:crypto'
import { HttpResponse } from '../route.ts'
import { chooseEncoding, type Encoding } from './accept-encoding.ts'
import { compress } from './compress.ts'

/** A response of bytes with an entity tag, by which clients can cache it. The bytes are read only when they are sent. */
export type CacheableResponse = {
  /** A weak validator, quotes included: the compressed forms share it. */
  etag: string
  type: string
  bytes: () => Buffer
}

/** A response that is the same for every request. Its bytes and its entity tag are computed once. */
export function createCacheableResponse(type: string, text: string): CacheableResponse {
  const bytes = Buffer.from(text)
  // 22 characters are 132 bits.
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { etag: `W/"${digest}"`, type, bytes: () => bytes }
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Shorter bodies are not compressed, because it costs more than it saves. */
const minCompressedBytes = 1024

/** Answers 304 if the client has the current bytes; otherwise sends them, in the client's preferred encoding. */
export async function negotiateResponse(request: RequestHeaders, response: CacheableResponse): Promise<HttpResponse> {
  if (matchesEtag(request['if-none-match'], response.etag)) return new HttpResponse(304, cacheHeaders(response))
  const plain = response.bytes()
  const encoding = findEncoding(request, plain)
  return fullResponse(response, encoding, encoding ? await compress(plain, encoding) : plain)
}

function fullResponse(response: CacheableResponse, encoding: Encoding | undefined, body: Buffer): HttpResponse {
  const headers: Record<string, string> = { ...cacheHeaders(response), 'content-type': response.type }
  if (encoding) headers['content-encoding'] = encoding
  return new HttpResponse(200, headers, body)
}

function cacheHeaders({ etag }: CacheableResponse) {
  return { etag, 'cache-control': 'private, no-cache', vary: 'accept-encoding' }
}

function findEncoding(request: RequestHeaders, plain: Buffer): Encoding | undefined {
  if (plain.length < minCompressedBytes) return undefined
  return chooseEncoding(request['accept-encoding'] as string | undefined)
}

/** Compares entity tags weakly, as `If-None-Match` requires. */
function matchesEtag(header: string | string[] | undefined, etag: string): boolean {
  if (header === undefined) return false
  const tags = String(header)
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag.replace(/^W\//, ''))
}
