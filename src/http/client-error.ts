import type { Socket } from 'node:net'

const answers: Record<string, [status: number, phrase: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'The headers are over 32 KiB, the most a request may have.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
}
const unreadable: [number, string, string] = [400, 'Bad Request', 'The request is not valid HTTP.']

/** Answers what never became a request: it gets the same envelope as everything else. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [code, phrase, message] = answers[error.code ?? ''] ?? unreadable
  const body = JSON.stringify({ error: { code, message } })
  const head = [
    `HTTP/1.1 ${code} ${phrase}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
