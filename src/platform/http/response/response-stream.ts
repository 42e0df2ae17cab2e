import type { FastifyReply } from 'fastify'
import type { LeaveSignal } from '../../async/leave-signal.ts'
import type { ResponseStream } from '../../net/response-stream.ts'
import { ChunkedBody } from './chunked.ts'

/** The head of every stream of server-sent events. */
export const streamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // Proxies that buffer would hold back every token.
  'x-accel-buffering': 'no',
}

/**
 * A reply as a stream, of server-sent events unless a header says of what. Nothing is sent, and anything may still be
 * answered, before a write.
 */
export function eventStream(reply: FastifyReply, signal: LeaveSignal): ResponseStream {
  const { raw } = reply
  const body = new ChunkedBody(raw)
  const open = () => {
    response.opened = true
    const headers = reply.getHeaders()
    reply.hijack()
    raw.writeHead(200, {
      ...streamHeaders,
      ...headers,
    } as Record<string, string>)
  }
  const response = {
    opened: false,
    header: (name: string, value: string) => void reply.header(name, value),
    write(chunk: string | Buffer) {
      if (!response.opened) open()
      return body.write(chunk)
    },
    onDrain: (listener: () => void) => body.onDrain(listener),
    end(last?: Buffer) {
      if (!last) return void raw.end()
      if (!response.opened) open()
      body.end(last)
    },
    signal,
  }
  return response
}
