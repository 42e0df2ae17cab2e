import { HttpResponse } from '../route.ts'
import { chooseEncoding } from './accept-encoding.ts'
import { compress } from './compress.ts'

/**
 * The length in UTF-16 code units from which a response is compressed. Answers with a secret, such as the CSRF token of a
 * session, are shorter: the length of a compressed response must not depend on a secret beside text of a client.
 */
const minLength = 4096

/** Compresses the JSON of a response; undefined if it is short or not JSON, or if the client accepts no encoding. */
export async function compressResponse(
  header: string | string[] | undefined,
  result: unknown,
): Promise<HttpResponse | undefined> {
  const encoding = chooseEncoding(header === undefined ? undefined : String(header))
  if (encoding === undefined || typeof result !== 'object' || result === null) return undefined
  if (result instanceof HttpResponse || Buffer.isBuffer(result)) return undefined
  const text = JSON.stringify(result)
  if (text.length < minLength) return undefined
  const type = 'application/json; charset=utf-8'
  const headers = { 'content-type': type, 'content-encoding': encoding, vary: 'accept-encoding' }
  return new HttpResponse(200, headers, await compress(Buffer.from(text), encoding))
}
