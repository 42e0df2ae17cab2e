import { acceptedEncoding } from './accept-encoding.ts'
import { compress } from './compress.ts'
import { Answer } from './route.ts'

/** An answer that is bytes with a name of their own. The bytes are asked for only when they are sent. */
export type ReadyAnswer = {
  /** A weak validator, quotes included: the compressed forms share it. */
  etag: string
  type: string
  bytes: () => Buffer
}

type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Below this, compressing costs more than it saves. */
const worthCompressing = 1024

/** Answers 304 to a client that has it already; else the bytes, compressed as the client likes. */
export async function answerReady(request: RequestHeaders, { etag, type, bytes }: ReadyAnswer): Promise<Answer> {
  const headers = { etag, 'cache-control': 'private, no-cache', vary: 'accept-encoding' }
  if (hasAlready(request['if-none-match'], etag)) return new Answer(304, headers)
  const plain = bytes()
  const encoding = acceptedEncoding(String(request['accept-encoding'] ?? ''))
  if (!encoding || plain.length < worthCompressing) {
    return new Answer(200, { ...headers, 'content-type': type }, plain)
  }
  const body = await compress(plain, encoding)
  return new Answer(200, { ...headers, 'content-type': type, 'content-encoding': encoding }, body)
}

/** By the weak comparison, which is the one for this header. */
function hasAlready(header: string | string[] | undefined, etag: string): boolean {
  if (header === undefined) return false
  const known = String(header)
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
  return known.includes('*') || known.includes(etag.replace(/^W\//, ''))
}
