import type { Agent, Dispatcher } from 'undici'
import { IdleTimer } from '#platform/async/idle-timer.ts'
import { once } from '#platform/async/once.ts'
import { explainConnection } from '#platform/core/connection-failure.ts'
import { throughProxies } from '#platform/core/outgoing.ts'
import type { ProxySettings } from '#platform/core/proxies.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { ownUtf8 } from '#platform/text/own-bytes.ts'
import type { Deadlines } from './deadlines.ts'
import { DecodingSink, type Source } from './decode.ts'
import { type Connection, watchConnection } from './reused-connections.ts'
import type { Exchange, Sink, TransportFailure, UpstreamRequest, Upstreams } from './upstream.ts'

/** When the client for upstreams is loaded, unless a request wants it before: not while the service starts. */
const warmUpMs = 300

export type UpstreamOptions = { connectMs: number; proxies?: ProxySettings }

/** Connections to upstreams, kept alive and pooled by origin. */
export function overHttp(options: UpstreamOptions): Upstreams {
  const made: Agent[] = []
  const agentWith = (pipelining: number) =>
    once(() => {
      const agent = newAgent({ ...options, pipelining })
      made.push(agent)
      return agent
    })
  const agent = agentWith(1)
  // Without pipelining undici closes each connection after its request, so that each request gets a new one.
  const unpooledAgent = agentWith(0)
  const warming = setTimeout(agent, warmUpMs).unref()
  return {
    send(request, deadlines, sink) {
      const dispatch = (through: Agent) => {
        const { origin, path } = request
        const { headers, body } = sendable(request)
        through.dispatch({ origin, path, method: 'POST', headers, body }, call)
      }
      const call = new HttpCall(request.origin, deadlines, sink, () => dispatch(unpooledAgent()))
      dispatch(agent())
      return call
    },
    async close() {
      clearTimeout(warming)
      await Promise.all(made.map((one) => one.destroy()))
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

function newAgent({ connectMs, proxies = {}, pipelining }: UpstreamOptions & { pipelining: number }): Agent {
  const { Agent } = lazyModules.undici()
  const options = {
    connect: { timeout: connectMs },
    // The deadlines here are ours: undici's own would count a paused reader as a silent upstream.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    pipelining,
    allowH2: false,
  }
  return new Agent(throughProxies(options, proxies))
}

const givenUp = new Error('given up')

/** One request over HTTP: undici's handler on the one side, an exchange on the other. */
class HttpCall implements Exchange, Source, Dispatcher.DispatchHandler {
  connectMs: number | undefined
  readonly #askedAt = performance.now()
  readonly #origin: string
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
  #connection: Connection | undefined
  /** Sends the request once more, on a new connection. It holds the body, so it is dropped as soon as it is not needed. */
  #resend: (() => void) | undefined

  constructor(origin: string, deadlines: Deadlines, sink: Sink, resend: () => void) {
    this.#origin = origin
    this.#deadlines = deadlines
    this.#resend = resend
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
    else watchConnection(this)
  }

  sentOn(connection: Connection): void {
    this.#connection = connection
    if (!connection.isReused) this.#resend = undefined
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#resend = undefined
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
    if (this.#resendsAfterStaleConnection()) return
    const explanation = explainConnection(error, URL.parse(this.#origin)?.host ?? this.#origin)
    this.#fail(kindOf(error, this.#phase), error.message || 'connection failed', explanation)
  }

  /** A server may close a kept connection just when a request is sent on it; that says nothing about the server. */
  #resendsAfterStaleConnection(): boolean {
    const resend = this.#resend
    this.#resend = undefined
    if (this.#over || !resend || !this.#connection?.isReused || this.#connection.hasAnswered()) return false
    this.#phase = 'connect'
    resend()
    return true
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

  #fail(kind: TransportFailure['kind'], message: string, explanation?: string): void {
    if (!this.#finishes()) return
    const failure = { kind, phase: this.#phase, message }
    this.#sink.failed(explanation === undefined ? failure : { ...failure, explanation })
  }

  #finishes(): boolean {
    if (this.#over) return false
    this.#over = true
    this.#resend = undefined
    this.#silence.stop()
    return true
  }
}

function kindOf(error: Error, phase: TransportFailure['phase']): TransportFailure['kind'] {
  const { code } = error as { code?: string }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout'
  return phase === 'connect' ? 'refused' : 'reset'
}
