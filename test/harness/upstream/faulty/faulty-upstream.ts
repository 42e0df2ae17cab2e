import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'

/** One request as the upstream received it, and the state of its connection since. */
export type FaultyRequest = {
  modelName: string
  /** The request line and the headers. */
  head: string
  body: { stream?: boolean }
  socket: Socket
  /** When the client disconnected, by `performance.now()`. */
  closedAt: number | undefined
}

/** The upstream's behaviour for a request, down to single bytes. */
export type FaultyBehaviour = (request: FaultyRequest) => void

/** An upstream on a raw socket with the behaviour that the request's model names. `await using` ends it. */
export type FaultyUpstream = AsyncDisposable & { url: string; tlsUrl: string; requests: FaultyRequest[] }

export async function startFaultyUpstream(behaviours: Record<string, FaultyBehaviour>): Promise<FaultyUpstream> {
  const requests: FaultyRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket.setMaxListeners(0))
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    readRequests(socket, (head, body) => {
      const request: FaultyRequest = { modelName: body.model, head, body, socket, closedAt: undefined }
      requests.push(request)
      socket.once('close', () => {
        request.closedAt ??= performance.now()
      })
      behaviours[body.model]?.(request)
    })
  })
  // Accepts connections and never answers, so no TLS handshake completes.
  const silentServer = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('close', () => sockets.delete(socket)).resume()
  })
  await Promise.all([listen(server), listen(silentServer)])
  return {
    url: `http://127.0.0.1:${portOf(server)}/v1`,
    tlsUrl: `https://127.0.0.1:${portOf(silentServer)}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await Promise.all([closeServer(server), closeServer(silentServer)])
    },
  }
}

const listen = (server: Server) => once(server.listen(0, '127.0.0.1'), 'listening')
const closeServer = (server: Server) => new Promise((resolve) => server.close(resolve))
const portOf = (server: Server) => (server.address() as AddressInfo).port

/** Requests on a kept-alive connection, one after the other. */
function readRequests(
  socket: Socket,
  onRequest: (head: string, body: { model: string; stream?: boolean }) => void,
): void {
  let buffered: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    buffered = Buffer.concat([buffered, chunk as Buffer])
    for (;;) {
      const headEnd = buffered.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const length = Number(/content-length: (\d+)/i.exec(buffered.subarray(0, headEnd).toString())?.[1] ?? 0)
      const requestEnd = headEnd + 4 + length
      if (buffered.length < requestEnd) return
      const body = buffered.subarray(headEnd + 4, requestEnd).toString()
      const head = buffered.subarray(0, headEnd).toString()
      buffered = buffered.subarray(requestEnd)
      onRequest(head, JSON.parse(body))
    }
  })
}

/** The head of a response whose body comes in chunks. */
export function head(type = 'text/event-stream', more = ''): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${more}transfer-encoding: chunked\r\n\r\n`
}

export function chunk(bytes: string | Buffer): Buffer {
  const body: Buffer = Buffer.from(bytes as string)
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
}

export const lastChunk = '0\r\n\r\n'

/** A whole response, with a length. */
export function completeResponse(
  status: number,
  body: string | Buffer,
  more = 'content-type: application/json\r\n',
): Buffer {
  const bytes = Buffer.from(body as string)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${more}content-length: ${bytes.length}\r\n\r\n`), bytes])
}

const chunkFields = { id: 'chatcmpl-up', object: 'chat.completion.chunk', created: 1, model: 'up' }
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }

export function deltaEvent(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ ...chunkFields, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

export const roleDelta = deltaEvent({ role: 'assistant', content: '' })
export const usageChunk = `data: ${JSON.stringify({ ...chunkFields, choices: [], usage })}\n\n`
export const doneEvent = 'data: [DONE]\n\n'

/** The events of a valid stream with these words. */
export function textEvents(...words: string[]): string[] {
  return [roleDelta, ...words.map((content) => deltaEvent({ content })), deltaEvent({}, 'stop'), usageChunk, doneEvent]
}

export function completion(content: string, more: object = {}): string {
  const message = { role: 'assistant', content }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  return JSON.stringify({
    id: 'chatcmpl-up',
    object: 'chat.completion',
    created: 1,
    model: 'up',
    choices,
    usage,
    ...more,
  })
}
