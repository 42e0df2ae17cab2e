import type { IncomingMessage } from 'node:http'

type FramedRequest = Pick<IncomingMessage, 'headers' | 'httpVersion'>

/**
 * Returns the error in the version or transfer coding of a request; undefined if every HTTP server and proxy finds the
 * same end of its body. Node reads these requests. A proxy can see another end, so that it takes a part of the body for the
 * next request: the connection must close after the response (RFC 9112, section 6.1).
 */
export function findFramingError({ headers, httpVersion }: FramedRequest): string | undefined {
  if (httpVersion === '0.9') return 'The request line names no version of HTTP: end it with HTTP/1.1.'
  const coding = headers['transfer-encoding']
  if (coding === undefined) return undefined
  if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding: send a Content-Length.'
  if (/^chunked$/i.test(coding)) return undefined
  return 'The only supported Transfer-Encoding is "chunked".'
}
