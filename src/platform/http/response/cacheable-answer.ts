import { createHash } from 'node:crypto'
import { HttpAnswer } from '../route.ts'
import { chooseEncoding, type Encoding } from './accept-encoding.ts'
import { compress } from './compress.ts'

/** A response of bytes with an entity tag, by which clients can cache it. The bytes are read only when they are sent. */
export type CacheableAnswer = {
  /** A weak validator, quotes included: the compressed forms share it. */
  etag: string
  type: string
  bytes: () => Buffer
}

/** An answer that is the same for every request. Its bytes and its entity tag are computed once. */
export function createCacheableAnswer(type: string, text: string): CacheableAnswer {
  const bytes = Buffer.from(text)
  // 22 characters are 132 bits.
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { etag: `W/"${digest}"`, type, bytes: () => bytes }
}

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Shorter bodies are not compressed, because it costs more than it saves. */
const minCompressedBytes = 1024

/** Answers 304 if the client has the current bytes; otherwise sends them, in the client's preferred encoding. */
export async function negotiateAnswer(request: RequestHeaders, answer: CacheableAnswer): Promise<HttpAnswer> {
  if (matchesEtag(request['if-none-match'], answer.etag)) return new HttpAnswer(304, cacheHeaders(answer))
  const plain = answer.bytes()
  const encoding = findEncoding(request, plain)
  return fullAnswer(answer, encoding, encoding ? await compress(plain, encoding) : plain)
}

function fullAnswer(answer: CacheableAnswer, encoding: Encoding | undefined, body: Buffer): HttpAnswer {
  const headers: Record<string, string> = { ...cacheHeaders(answer), 'content-type': answer.type }
  if (encoding) headers['content-encoding'] = encoding
  return new HttpAnswer(200, headers, body)
}

function cacheHeaders({ etag }: CacheableAnswer) {
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
