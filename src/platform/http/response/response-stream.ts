import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { DisconnectSignal } from '../../async/disconnect-signal.ts'
import type { ResponseStream } from '../../net/response-stream.ts'
import { ChunkedBody } from './chunked.ts'

/** The headers of every stream of server-sent events. */
const streamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // Buffering proxies would delay every token.
  'x-accel-buffering': 'no',
}

/**
 * A response that streams server-sent events, unless a header sets another type. Nothing is sent before the first
 * write, so the route can still send another response.
 */
export class ReplyStream implements ResponseStream {
  readonly signal: DisconnectSignal
  opened = false
  readonly #reply: FastifyReply
  #cachedBody: ChunkedBody | undefined

  constructor(reply: FastifyReply, signal: DisconnectSignal) {
    this.#reply = reply
    this.signal = signal
  }

  header(name: string, value: string): void {
    this.#reply.header(name, value)
  }

  write(chunk: string | Buffer): boolean {
    this.#open()
    return this.#body.write(chunk)
  }

  onDrain(listener: () => void): void {
    this.#body.onDrain(listener)
  }

  end(last?: Buffer): void {
    if (!last) return void this.#reply.raw.end()
    this.#open()
    this.#body.end(last)
  }

  #open(): void {
    if (this.opened) return
    this.opened = true
    const headers = { ...streamHeaders, ...this.#reply.getHeaders() }
    this.#reply.hijack()
    this.#reply.raw.writeHead(200, headers as Record<string, string>)
    joinHead(this.#reply.raw)
  }

  get #body(): ChunkedBody {
    this.#cachedBody ??= new ChunkedBody(this.#reply.raw)
    return this.#cachedBody
  }
}

/**
 * Node stores the head of a response until its end as about thirty concatenated strings. Searching it flattens them into
 * one string, which takes half of the memory.
 */
function joinHead(response: ServerResponse): void {
  const { _header: head } = response as ServerResponse & { _header?: string }
  // The result does not matter: the search itself joins the strings.
  if (head !== undefined) lineEnd.test(head)
}

const lineEnd = /\n$/
