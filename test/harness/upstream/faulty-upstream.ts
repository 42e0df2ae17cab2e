import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'

/** One request as the upstream received it, and the state of its connection since. */
export type Taken = {
  play: string
  /** The request line and the headers. */
  head: string
  body: { stream?: boolean }
  socket: Socket
  /** When the client disconnected, by `performance.now()`. */
  closedAt: number | undefined
}

/** The upstream's behaviour for a request, down to single bytes. */
export type Play = (taken: Taken) => void

/** An upstream on a raw socket with the behaviour that the request's model names. `await using` ends it. */
export type FaultyUpstream = AsyncDisposable & { url: string; tlsUrl: string; taken: Taken[] }

export async function startFaultyUpstream(plays: Record<string, Play>): Promise<FaultyUpstream> {
  const taken: Taken[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket.setMaxListeners(0))
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    readRequests(socket, (head, body) => {
      const one: Taken = { play: body.model, head, body, socket, closedAt: undefined }
      taken.push(one)
      socket.once('close', () => {
        one.closedAt ??= performance.now()
      })
      plays[body.model]?.(one)
    })
  })
  // Accepts connections and never answers, so no TLS handshake completes.
  const mute = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('close', () => sockets.delete(socket)).resume()
  })
  await Promise.all([listen(server), listen(mute)])
  return {
    url: `http://127.0.0.1:${portOf(server)}/v1`,
    tlsUrl: `https://127.0.0.1:${portOf(mute)}/v1`,
    taken,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await Promise.all([end(server), end(mute)])
    },
  }
}

const listen = (server: Server) => once(server.listen(0, '127.0.0.1'), 'listening')
const end = (server: Server) => new Promise((resolve) => server.close(resolve))
const portOf = (server: Server) => (server.address() as AddressInfo).port

/** Requests on a kept-alive connection, one after the other. */
function readRequests(socket: Socket, take: (head: string, body: { model: string; stream?: boolean }) => void): void {
  let held: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    held = Buffer.concat([held, chunk as Buffer])
    for (;;) {
      const headEnd = held.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const length = Number(/content-length: (\d+)/i.exec(held.subarray(0, headEnd).toString())?.[1] ?? 0)
      const whole = headEnd + 4 + length
      if (held.length < whole) return
      const body = held.subarray(headEnd + 4, whole).toString()
      const head = held.subarray(0, headEnd).toString()
      held = held.subarray(whole)
      take(head, JSON.parse(body))
    }
  })
}

/** The head of an answer whose body comes in chunks. */
export function head(type = 'text/event-stream', more = ''): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${more}transfer-encoding: chunked\r\n\r\n`
}

export function chunk(bytes: string | Buffer): Buffer {
  const body: Buffer = Buffer.from(bytes as string)
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
}

export const lastChunk = '0\r\n\r\n'

/** A whole answer, with a length. */
export function whole(status: number, body: string | Buffer, more = 'content-type: application/json\r\n'): Buffer {
  const bytes = Buffer.from(body as string)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${more}content-length: ${bytes.length}\r\n\r\n`), bytes])
}

const named = { id: 'chatcmpl-up', object: 'chat.completion.chunk', created: 1, model: 'up' }
export const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }

export function delta(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ ...named, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

export const first = delta({ role: 'assistant', content: '' })
export const usageChunk = `data: ${JSON.stringify({ ...named, choices: [], usage })}\n\n`
export const done = 'data: [DONE]\n\n'

/** The events of a valid stream with these words. */
export function textEvents(...words: string[]): string[] {
  return [first, ...words.map((content) => delta({ content })), delta({}, 'stop'), usageChunk, done]
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
