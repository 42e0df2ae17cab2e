import type { FastifyInstance } from 'fastify'
import type { Log } from '#lib/log.ts'

/** A finished request, by its route's pattern: what a client put into path, query or body stays with the client. */
export type FinishedRequest = { id: string; method: string; route: string; status: number; seconds: number }

/** The status in log and metrics of an answer that its client did not wait for. */
const clientLeft = 499

/**
 * Calls `act` once for every request, after its answer or its client's departure.
 * @returns how many are under way now.
 */
export function whenFinished(app: FastifyInstance, act: (request: FinishedRequest) => void): () => number {
  let underWay = 0
  app.addHook('onRequest', (request, reply, done) => {
    const started = performance.now()
    underWay++
    // The framework's own hook does not come where a client leaves before the first byte.
    reply.raw.once('close', () => {
      underWay--
      act({
        id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.raw.writableFinished ? reply.raw.statusCode : clientLeft,
        seconds: (performance.now() - started) / 1000,
      })
    })
    done()
  })
  return () => underWay
}

/** One line a request: for those who ask for it, except where the service failed. */
export function logRequest(log: Log, { id, method, route, status, seconds }: FinishedRequest): void {
  const level = status >= 500 ? 'warn' : 'debug'
  if (!log.isLevelEnabled(level)) return
  log[level]({ requestId: id, method, route, status, ms: Math.round(seconds * 1e5) / 100 }, 'request')
}
