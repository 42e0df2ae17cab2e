import type { Agent, Dispatcher } from 'undici'
import { lazyModules } from '#lib/lazy-modules.ts'
import { once } from '#lib/once.ts'
import { ownUtf8 } from '#lib/own-bytes.ts'
import { type Deadlines, IdleTimer } from './deadlines.ts'
import { DecodingSink, type Source } from './decode.ts'
import type { Exchange, Sink, TransportFailure, UpstreamRequest, Upstreams } from './send.ts'

/** When the client for upstreams is loaded, unless a request wants it before: not while the service starts. */
const warmUpMs = 300

/** Connections to upstreams, kept alive and pooled by origin. */
export function overHttp(options: { connectMs: number }): Upstreams {
  let made: Agent | undefined
  const agent = once(() => {
    made = newAgent(options)
    return made
  })
  const warming = setTimeout(agent, warmUpMs).unref()
  return {
    send(request, deadlines, sink) {
      const call = new HttpCall(deadlines, sink)
      const { origin, path } = request
      const { headers, body } = sendable(request)
      agent().dispatch({ origin, path, method: 'POST', headers, body }, call)
      return call
    },
    async close() {
      clearTimeout(warming)
      await made?.destroy()
    },
  }
}

/**
 * A body in several pieces is written piece by piece: its length is told beforehand. Undici holds what it is given until
 * the answer has ended: pieces that it has taken are let go, and the text of a stream is given in memory of its own, not in
 * the pool's.
 */
function sendable({ headers, body, streams }: UpstreamRequest) {
  if (typeof body === 'string') return { headers, body: streams ? ownUtf8(body) : Buffer.from(body) }
  if (body.length === 1) return { headers, body: body[0]! }
  const length = body.reduce((sum, piece) => sum + piece.length, 0)
  // Undici takes whatever can be iterated over, and says so in its documentation alone.
  return { headers: { ...headers, 'content-length': String(length) }, body: eachOnce(body) as unknown as Buffer }
}

function* eachOnce(pieces: readonly Buffer[]): Generator<Buffer, void> {
  const left = pieces.toReversed()
  pieces = []
  while (left.length > 0) yield left.pop()!
}

function newAgent({ connectMs }: { connectMs: number }): Agent {
  const { Agent } = lazyModules.undici()
  return new Agent({
    connect: { timeout: connectMs },
    // The deadlines here are ours: undici's own would count a paused reader as a silent upstream.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    pipelining: 1,
    allowH2: false,
  })
}

const givenUp = new Error('given up')

/** One request over HTTP: undici's handler on the one side, an exchange on the other. */
class HttpCall implements Exchange, Source, Dispatcher.DispatchHandler {
  connectMs: number | undefined
  readonly #askedAt = performance.now()
  readonly #deadlines: Deadlines
  readonly #silence: IdleTimer
  readonly #sink: DecodingSink
  #controller: Dispatcher.DispatchController | undefined
  #phase: TransportFailure['phase'] = 'connect'
  /** Nothing more is to come from the connection; a decoder may still have something to say. */
  #over = false
  #paused = false
  /** The decoder has as much before it as it can hold. */
  #full = false

  constructor(deadlines: Deadlines, sink: Sink) {
    this.#deadlines = deadlines
    this.#sink = new DecodingSink(sink, this)
    this.#silence = new IdleTimer(() => this.#timeOut())
    this.#silence.start(deadlines.firstByteMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#phase = 'first_byte'
    this.connectMs = Math.round(performance.now() - this.#askedAt)
    // Given up while it waited for its connection: it must not be sent any more.
    if (this.#over) controller.abort(givenUp)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (!this.#over && status >= 200) this.#sink.head(status, headers)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return
    this.#phase = 'answer'
    if (!this.#paused) this.#silence.start(this.#deadlines.silenceMs)
    this.#sink.data(chunk)
  }

  onResponseEnd(): void {
    if (this.#finishes()) this.#sink.end()
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(kindOf(error, this.#phase), error.message || 'connection failed')
  }

  abort(): void {
    this.#finishes()
    this.#sink.failed({ kind: 'aborted', phase: this.#phase, message: 'the client left' })
    this.#controller?.abort(givenUp)
  }

  pause(): void {
    this.#paused = true
    this.#silence.stop()
    this.#sink.pause()
    this.#controller?.pause()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#sink.resume()
    if (this.#over) return
    this.#silence.start(this.#deadlines.silenceMs)
    if (!this.#full) this.#controller?.resume()
  }

  /** The decoder is full. */
  hold(): void {
    this.#full = true
    this.#controller?.pause()
  }

  release(): void {
    this.#full = false
    if (!this.#over && !this.#paused) this.#controller?.resume()
  }

  #timeOut(): void {
    const limit = this.#phase === 'answer' ? this.#deadlines.silenceMs : this.#deadlines.firstByteMs
    this.#fail('timeout', `no byte for ${limit} ms`)
    this.#controller?.abort(givenUp)
  }

  #fail(kind: TransportFailure['kind'], message: string): void {
    if (this.#finishes()) this.#sink.failed({ kind, phase: this.#phase, message })
  }

  #finishes(): boolean {
    if (this.#over) return false
    this.#over = true
    this.#silence.stop()
    return true
  }
}

function kindOf(error: Error, phase: TransportFailure['phase']): TransportFailure['kind'] {
  const { code } = error as { code?: string }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout'
  return phase === 'connect' ? 'refused' : 'reset'
}
