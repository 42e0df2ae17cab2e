import type { FastifyReply } from 'fastify'
import type { Outlet } from '#lib/outlet.ts'
import { chunkedBody } from './chunked.ts'

/** A reply as a stream of server-sent events. Nothing is sent, and anything may still be answered, before a write. */
export function eventStream(reply: FastifyReply, signal: AbortSignal): Outlet {
  const { raw } = reply
  const body = chunkedBody(raw)
  const open = () => {
    outlet.opened = true
    const headers = reply.getHeaders()
    reply.hijack()
    raw.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      // Proxies that buffer would hold back every token.
      'x-accel-buffering': 'no',
    } as Record<string, string>)
  }
  const outlet = {
    opened: false,
    header: (name: string, value: string) => void reply.header(name, value),
    write(chunk: string | Buffer) {
      if (!outlet.opened) open()
      return body.write(chunk)
    },
    onDrain: body.onDrain,
    end: () => void raw.end(),
    signal,
  }
  return outlet
}
