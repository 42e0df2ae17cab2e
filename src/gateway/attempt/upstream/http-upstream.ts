import type { Agent, Dispatcher } from 'undici'
import { IdleTimer } from '#platform/async/idle-timer.ts'
import { once } from '#platform/async/once.ts'
import { explainTlsOrProxyFailure } from '#platform/core/connection-failure.ts'
import { throughProxies } from '#platform/net/outgoing.ts'
import type { ProxySettings } from '#platform/net/proxies.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { encodeUtf8 } from '#platform/text/copy-bytes.ts'
import { type DecoderSource, DecodingSink } from './decode.ts'
import { type Connection, watchConnection } from './reused-connections.ts'
import type { Timeouts } from './timeouts.ts'
import type { Exchange, Sink, TransportFailure, UpstreamRequest, Upstreams } from './upstream.ts'

/** The HTTP client is loaded after this time or at the first request, so that it does not slow the start. */
const warmUpMs = 300

export type UpstreamOptions = { connectMs: number; proxies?: ProxySettings }

/** Connections to upstreams, kept alive and pooled by origin. */
export function createHttpUpstreams(options: UpstreamOptions): Upstreams {
  const agents: Agent[] = []
  const lazyAgent = (pipelining: number) =>
    once(() => {
      const agent = newAgent({ ...options, pipelining })
      agents.push(agent)
      return agent
    })
  const pooledAgent = lazyAgent(1)
  // Without pipelining undici closes each connection after its request, so that each request gets a new one.
  const unpooledAgent = lazyAgent(0)
  const warmUpTimer = setTimeout(pooledAgent, warmUpMs).unref()
  return {
    send(request, timeouts, sink) {
      const dispatchWith = (dispatchAgent: Agent) => {
        const { origin, path, method = 'POST' } = request
        const { headers, body } = dispatchOptions(request)
        dispatchAgent.dispatch({ origin, path, method, headers, body: method === 'GET' ? null : body }, call)
      }
      const call = new HttpCall(request.origin, timeouts, sink, () => dispatchWith(unpooledAgent()))
      dispatchWith(pooledAgent())
      return call
    },
    async close() {
      clearTimeout(warmUpTimer)
      await Promise.all(agents.map((openAgent) => openAgent.destroy()))
    },
  }
}

/**
 * Prepares headers and body for undici, which references the body until the response has ended. To free memory earlier,
 * pieces are released as they are sent, and the text of a streamed request does not use the buffer pool.
 */
function dispatchOptions({ headers, body, isStream }: UpstreamRequest) {
  if (typeof body === 'string') return { headers, body: isStream ? encodeUtf8(body) : Buffer.from(body) }
  if (body.length === 1) return { headers, body: body[0]! }
  const length = body.reduce((sum, piece) => sum + piece.length, 0)
  // Undici accepts any iterable, but its types do not say so.
  return { headers: { ...headers, 'content-length': String(length) }, body: drain(body) as unknown as Buffer }
}

function* drain(pieces: readonly Buffer[]): Generator<Buffer, void> {
  const remaining = pieces.toReversed()
  // Without this, the parameter would reference all pieces until the last piece is sent.
  pieces = []
  while (remaining.length > 0) yield remaining.pop()!
}

function newAgent({ connectMs, proxies = {}, pipelining }: UpstreamOptions & { pipelining: number }): Agent {
  const { Agent } = lazyModules.undici()
  const options = {
    connect: { timeout: connectMs },
    // The timeouts of `HttpCall` apply. Those of undici would count a paused reader as a silent upstream.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Longer than the 4 seconds of undici, so that the next request of a conversation finds its connection.
    keepAliveTimeout: 30_000,
    pipelining,
    // `watchConnection` needs connections that have one request at a time.
    allowH2: false,
  }
  return new Agent(throughProxies(options, proxies))
}

const abandonedError = new Error('abandoned')

/** One request over HTTP: undici's handler on the one side, an exchange on the other. */
class HttpCall implements Exchange, DecoderSource, Dispatcher.DispatchHandler {
  connectMs: number | undefined
  readonly #startedAt = performance.now()
  readonly #origin: string
  readonly #timeouts: Timeouts
  readonly #idleTimer: IdleTimer
  readonly #sink: DecodingSink
  #controller: Dispatcher.DispatchController | undefined
  #phase: TransportFailure['phase'] = 'connect'
  /** The connection has ended. A decoder can still have output. */
  #hasEnded = false
  #isPaused = false
  /** The buffer of the decoder is full. */
  #isDecoderFull = false
  #connection: Connection | undefined
  /** Sends the request again on a new connection. References the body, so it is cleared as soon as possible. */
  #resend: (() => void) | undefined

  constructor(origin: string, timeouts: Timeouts, sink: Sink, resend: () => void) {
    this.#origin = origin
    this.#timeouts = timeouts
    this.#resend = resend
    this.#sink = new DecodingSink(sink, this)
    this.#idleTimer = new IdleTimer(() => this.#timeOut())
    this.#idleTimer.start(timeouts.firstByteMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#phase = 'first_byte'
    this.connectMs = Math.round(performance.now() - this.#startedAt)
    // Aborted while it waited for its connection.
    if (this.#hasEnded) controller.abort(abandonedError)
    else watchConnection(this)
  }

  onConnection(connection: Connection): void {
    this.#connection = connection
    if (!connection.isReused) this.#resend = undefined
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#resend = undefined
    // Statuses below 200 only announce the response.
    if (!this.#hasEnded && status >= 200) this.#sink.head(status, headers)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return
    this.#phase = 'response'
    if (!this.#isPaused) this.#idleTimer.start(this.#timeouts.idleMs)
    this.#sink.data(chunk)
  }

  onResponseEnd(): void {
    if (this.#endOnce()) this.#sink.end()
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#resendIfStale()) return
    const explanation = explainTlsOrProxyFailure(error, URL.parse(this.#origin)?.host ?? this.#origin)
    this.#fail(classifyError(error, this.#phase), error.message || 'connection failed', explanation)
  }

  /**
   * Sends the request again, once, if the server closed an idle connection just when the request was sent on it.
   * @returns whether it was sent again.
   */
  #resendIfStale(): boolean {
    const resend = this.#resend
    this.#resend = undefined
    if (this.#hasEnded || !resend || !this.#connection?.isReused || this.#connection.hasResponded()) return false
    this.#phase = 'connect'
    resend()
    return true
  }

  abort(): void {
    this.#endOnce()
    this.#sink.fail({ kind: 'aborted', phase: this.#phase, message: 'the client disconnected' })
    this.#controller?.abort(abandonedError)
  }

  pause(): void {
    this.#isPaused = true
    this.#idleTimer.stop()
    this.#sink.pause()
    this.#controller?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#sink.resume()
    if (this.#hasEnded) return
    this.#idleTimer.start(this.#timeouts.idleMs)
    if (!this.#isDecoderFull) this.#controller?.resume()
  }

  pauseSource(): void {
    this.#isDecoderFull = true
    this.#controller?.pause()
  }

  resumeSource(): void {
    this.#isDecoderFull = false
    if (!this.#hasEnded && !this.#isPaused) this.#controller?.resume()
  }

  #timeOut(): void {
    const limit = this.#phase === 'response' ? this.#timeouts.idleMs : this.#timeouts.firstByteMs
    this.#fail('timeout', `no byte for ${limit} ms`)
    this.#controller?.abort(abandonedError)
  }

  #fail(kind: TransportFailure['kind'], message: string, explanation?: string): void {
    if (!this.#endOnce()) return
    const failure = { kind, phase: this.#phase, message }
    this.#sink.fail(explanation === undefined ? failure : { ...failure, explanation })
  }

  /** Marks the end. @returns false if it was reached before. */
  #endOnce(): boolean {
    if (this.#hasEnded) return false
    this.#hasEnded = true
    this.#resend = undefined
    this.#idleTimer.stop()
    return true
  }
}

function classifyError(error: Error, phase: TransportFailure['phase']): TransportFailure['kind'] {
  const { code } = error as { code?: string }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout'
  return phase === 'connect' ? 'refused' : 'reset'
}
