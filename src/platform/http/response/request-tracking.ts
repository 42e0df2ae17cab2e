import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../../process/log.ts'
import { findFailureReason } from '../failure-reason.ts'

/** A finished request, identified by its route's pattern. It contains nothing from the client's path, query or body. */
export type FinishedRequest = {
  id: string
  method: string
  route: string
  status: number
  seconds: number
  /** Why the status is 5xx. */
  reason?: string
}

/** The status in logs and metrics of a response whose client disconnected. */
const clientClosedRequest = 499

/** Counts requests in flight and reports each when it finishes: after its response, or when its client disconnects. */
type RequestTracker = {
  track: (id: string, method: string, routeOf: () => string, response: ServerResponse) => void
  /** The number of requests in flight. */
  count: () => number
}

/** Calls `onFinished` once for every request. */
export function createRequestTracker(onFinished: (request: FinishedRequest) => void): RequestTracker {
  let inFlight = 0
  return {
    track(id, method, routeOf, response) {
      const started = performance.now()
      inFlight++
      // The framework's hook is not called if a client disconnects before the first byte. `close` is always emitted
      // once. `once` would retain three more objects for the duration of the request.
      response.on('close', () => {
        inFlight--
        const status = response.writableFinished ? response.statusCode : clientClosedRequest
        const finished = { id, method, route: routeOf(), status, seconds: (performance.now() - started) / 1000 }
        const reason = findFailureReason(response)
        onFinished(reason === undefined ? finished : { ...finished, reason })
      })
    },
    count: () => inFlight,
  }
}

export function trackRequests(app: FastifyInstance, { track }: RequestTracker): void {
  app.addHook('onRequest', (request, reply, done) => {
    track(request.id, request.method, () => request.routeOptions.url ?? request.refusedBy?.url ?? 'none', reply.raw)
    done()
  })
}

/** One line for each request, if the log level includes it. Failures of the service are always logged. */
export function logRequest(log: Log, { id, method, route, status, seconds, reason }: FinishedRequest): void {
  // Probes are too frequent to log. A change of readiness is logged separately.
  const level = status >= 500 && !probes.test(route) ? 'warn' : 'debug'
  if (!log.isLevelEnabled(level)) return
  const ms = Number((seconds * 1000).toFixed(2))
  log[level]({ requestId: id, method, route, status, ms, reason }, 'request')
}

const probes = /\/health(\/ready)?$/
