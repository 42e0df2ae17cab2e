import type { ServerResponse } from 'node:http'
import { type LeaveSignal, Leaving } from '../../async/leave-signal.ts'
import type { ResponseStream } from '../../net/response-stream.ts'
import { ChunkedBody } from './chunked.ts'
import { streamHeaders } from './response-stream.ts'

/** A response without the framework: whole, or a stream of server-sent events from the first `write` on. */
export class DirectResponse implements ResponseStream {
  readonly #raw: ServerResponse
  /** Names and values in one list: Node writes them as they are, at half the cost of an object made for each answer. */
  #head: (string | number)[]
  readonly #leaving = new Leaving()
  #body: ChunkedBody | undefined
  #opened = false

  constructor(raw: ServerResponse, head: (string | number)[]) {
    this.#raw = raw
    this.#head = head
  }

  get opened(): boolean {
    return this.#opened
  }

  get signal(): LeaveSignal {
    return this.#leaving
  }

  /** The connection is closed. */
  closed(): void {
    if (!this.#raw.writableEnded) this.#leaving.abort()
  }

  header(name: string, value: string): void {
    for (let at = 0; at < this.#head.length; at += 2) {
      if (this.#head[at] !== name) continue
      this.#head[at + 1] = value
      return
    }
    this.#head.push(name, value)
  }

  write(chunk: string | Buffer): boolean {
    this.#open()
    return this.#chunked.write(chunk)
  }

  onDrain(listener: () => void): void {
    this.#chunked.onDrain(listener)
  }

  end(last?: Buffer): void {
    if (!last) return void this.#raw.end()
    this.#open()
    this.#chunked.end(last)
  }

  /** The whole answer. A client that has left gets none. */
  send(status: number, type: string, body: Buffer): void {
    this.#head.push('content-type', type, 'content-length', body.length)
    this.#raw.writeHead(status, this.#head)
    this.#raw.end(body)
  }

  /** Whether anything was sent, be it only the end. */
  get begun(): boolean {
    return this.#raw.headersSent
  }

  /** Breaks the connection, so that the client does not take half an answer for a whole one. */
  breakOff(): void {
    this.#raw.destroy()
  }

  #open(): void {
    if (this.#opened) return
    this.#opened = true
    for (const name in streamHeaders) this.#head.push(name, streamHeaders[name]!)
    this.#raw.writeHead(200, this.#head)
    // A stream may last for hours.
    this.#head = []
    joinHead(this.#raw)
  }

  get #chunked() {
    this.#body ??= new ChunkedBody(this.#raw)
    return this.#body
  }
}

/**
 * Node retains the head of an answer until its end as about thirty concatenated strings. Searching it flattens them into
 * one string, which takes half of the memory.
 */
function joinHead(response: ServerResponse): void {
  const { _header: head } = response as ServerResponse & { _header?: string }
  if (head !== undefined) lineEnd.test(head)
}

const lineEnd = /\n$/
