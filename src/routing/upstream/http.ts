import { Agent, type Dispatcher } from 'undici'
import { type Deadlines, Silence } from './deadlines.ts'
import type { Exchange, Sink, TransportFailure, UpstreamRequest, Upstreams } from './send.ts'

/** Connections to upstreams, kept alive and pooled by origin. */
export function overHttp(options: { connectMs: number }): Upstreams {
  const agent = new Agent({
    connect: { timeout: options.connectMs },
    // The deadlines here are ours: undici's own would count a paused reader as a silent upstream.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    pipelining: 1,
    allowH2: false,
  })
  return {
    send: (request, deadlines, sink) => sendOver(agent, request, deadlines, sink),
    close: () => agent.destroy(),
  }
}

const givenUp = new Error('given up')

function sendOver(agent: Agent, request: UpstreamRequest, deadlines: Deadlines, sink: Sink): Exchange {
  let controller: Dispatcher.DispatchController | undefined
  let phase: TransportFailure['phase'] = 'connect'
  let over = false
  let aborted = false

  const finish = (tell: () => void) => {
    if (over) return
    over = true
    silence.stop()
    tell()
  }
  const fail = (kind: TransportFailure['kind'], message: string) => finish(() => sink.failed({ kind, phase, message }))
  const silence = new Silence(() => {
    const limit = phase === 'answer' ? deadlines.silenceMs : deadlines.firstByteMs
    fail('timeout', `no byte for ${limit} ms`)
    controller?.abort(givenUp)
  })

  silence.start(deadlines.firstByteMs)
  agent.dispatch(
    { origin: request.origin, path: request.path, method: 'POST', headers: request.headers, body: request.body },
    {
      onRequestStart(given) {
        controller = given
        phase = 'first_byte'
        if (aborted) given.abort(givenUp)
      },
      onResponseStart(_controller, status, headers) {
        if (over || status < 200) return
        sink.head(status, headers as Record<string, string | string[] | undefined>)
      },
      onResponseData(_controller, chunk) {
        if (over) return
        phase = 'answer'
        silence.start(deadlines.silenceMs)
        sink.data(chunk)
      },
      onResponseEnd: () => finish(sink.end),
      onResponseError: (_controller, error) => fail(kindOf(error, phase), error.message || 'connection failed'),
    },
  )

  return {
    abort() {
      aborted = true
      fail('aborted', 'the client left')
      controller?.abort(givenUp)
    },
    pause() {
      silence.stop()
      controller?.pause()
    },
    resume() {
      if (over) return
      silence.start(deadlines.silenceMs)
      controller?.resume()
    },
  }
}

function kindOf(error: Error, phase: TransportFailure['phase']): TransportFailure['kind'] {
  const { code } = error as { code?: string }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout'
  return phase === 'connect' ? 'refused' : 'reset'
}
