import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isUploading } from '../request/upload.ts'

const responses: Record<string, [status: number, phrase: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'The request has more headers than allowed: at most 32 KiB, in fewer than 1,000 lines.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
}
const unreadableRequest: [number, string, string] = [400, 'Bad Request', 'The request is not valid HTTP.']

/** Answers bytes that are not a valid request, with the same error envelope as all errors. */
export function respondToClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable || isResponding(socket)) return void socket.destroy()
  const [code, phrase, message] = responses[error.code ?? ''] ?? unreadableRequest
  const body = JSON.stringify({ error: { code, message } })
  const head = [
    `HTTP/1.1 ${code} ${phrase}`,
    'content-type: application/json',
    `x-request-id: ${randomUUID()}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Answers a request with an unsupported `Expect` header. Node's default is a response without a body. */
export function respondToExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const message = 'The only supported expectation is "expect: 100-continue".'
  const head = { 'content-type': 'application/json', 'x-request-id': randomUUID() }
  response.writeHead(417, head).end(JSON.stringify({ error: { code: 417, message } }))
}

/** Returns whether a response has started, so that no other can be sent. Node's own handler reads the same field. */
function isResponding(socket: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true
}
