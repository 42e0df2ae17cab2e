import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Log } from '../../process/log.ts'
import { failureReason } from '../failure-reason.ts'

/** A finished request, by its route's pattern: what a client put into path, query or body stays with the client. */
export type FinishedRequest = {
  id: string
  method: string
  route: string
  status: number
  seconds: number
  /** Why the status is 5xx. */
  reason?: string
}

/** The status in log and metrics of an answer that its client did not wait for. */
const clientLeft = 499

/** Hears of requests that begin, and tells of each when it is finished: after its answer or its client's departure. */
export type RequestsUnderWay = {
  began: (id: string, method: string, routeOf: () => string, response: ServerResponse) => void
  /** How many are under way now. */
  count: () => number
}

/** Calls `act` once for every request. */
export function requestsUnderWay(act: (request: FinishedRequest) => void): RequestsUnderWay {
  let underWay = 0
  return {
    began(id, method, routeOf, response) {
      const started = performance.now()
      underWay++
      // The framework's own hook does not come where a client leaves before the first byte.
      // It comes once anyway. `once` would keep three more objects for as long as the request lasts.
      response.on('close', () => {
        underWay--
        const status = response.writableFinished ? response.statusCode : clientLeft
        const finished = { id, method, route: routeOf(), status, seconds: (performance.now() - started) / 1000 }
        const reason = failureReason(response)
        act(reason === undefined ? finished : { ...finished, reason })
      })
    },
    count: () => underWay,
  }
}

export function watchRequests(app: FastifyInstance, { began }: RequestsUnderWay): void {
  app.addHook('onRequest', (request, reply, done) => {
    began(request.id, request.method, () => request.routeOptions.url ?? request.refusedBy?.url ?? 'none', reply.raw)
    done()
  })
}

/** One line a request: for those who ask for it, except where the service failed. */
export function logRequest(log: Log, { id, method, route, status, seconds, reason }: FinishedRequest): void {
  // A probe asks twice a second; a change of readiness has a line for itself.
  const level = status >= 500 && !probes.test(route) ? 'warn' : 'debug'
  if (!log.isLevelEnabled(level)) return
  const ms = Math.round(seconds * 1e5) / 100
  log[level]({ requestId: id, method, route, status, ms, ...(reason !== undefined && { reason }) }, 'request')
}

const probes = /\/health(\/ready)?$/
