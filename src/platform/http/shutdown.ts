import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { emptyAcceptQueue, shortenAcceptQueue } from './accept-queue.ts'
import type { Acceptor } from './acceptor.ts'

/** The interval of the check for idle connections. */
const idleCheckMs = 50

/** Graceful shutdown: new clients use other servers, requests in flight may finish, then connections close. */
export type Shutdown = {
  /** Whether the health check fails, so that new clients use another server. */
  isShuttingDown: () => boolean
  /** Marks the service as shutting down. New connections are still accepted; each connection closes after its next response. */
  beginShutdown: (server: Server) => void
  /**
   * Accepts new requests for `ms` more, each on a connection that closes after its response; ends earlier after
   * `skipDrain`.
   */
  drain: (server: Server, ms: number) => Promise<void>
  skipDrain: () => void
  /** Accepts no more requests. Those in flight can finish within `graceMs`; then their connections are closed. */
  close: (app: FastifyInstance, graceMs: number, acceptor?: Pick<Acceptor, 'close'>) => Promise<void>
  /**
   * Accepts no new connections, for a worker whose successor has started. Open connections end with their next response, or when
   * the client disconnects.
   */
  stopAccepting: (server: Server, acceptor: Pick<Acceptor, 'close'>) => Promise<void>
}

export function createShutdown(): Shutdown {
  let isShuttingDown = false
  const drainEnd = Promise.withResolvers<void>()
  const beginShutdown = (server: Server) => {
    if (isShuttingDown) return
    isShuttingDown = true
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false
    })
  }
  return {
    isShuttingDown: () => isShuttingDown,
    beginShutdown,
    async drain(server, ms) {
      beginShutdown(server)
      if (ms === 0) return
      const timer = setTimeout(drainEnd.resolve, ms)
      await drainEnd.promise
      clearTimeout(timer)
    },
    skipDrain: drainEnd.resolve,
    async stopAccepting(server, acceptor) {
      beginShutdown(server)
      await acceptor.close()
    },
    async close(app, graceMs, acceptor) {
      beginShutdown(app.server)
      const forceAt = performance.now() + graceMs
      // Repeated, because a connection from the accept queue can appear after the end of the grace time.
      const closeConnections = () =>
        performance.now() < forceAt ? app.server.closeIdleConnections() : app.server.closeAllConnections()
      // A stream that started earlier has a keep-alive connection, which nothing else would close after the stream
      // ends.
      const idleCheckTimer = setInterval(closeConnections, idleCheckMs)
      const forceTimer = setTimeout(closeConnections, graceMs)
      try {
        await acceptor?.close()
        // Runs before the framework closes, which would answer 503 to requests on earlier connections.
        await closeListener(app.server)
        await app.close()
      } finally {
        clearInterval(idleCheckTimer)
        clearTimeout(forceTimer)
      }
    },
  }
}

/** Refuses new connections. Resolves when the earlier ones are closed. */
async function closeListener(server: Server): Promise<void> {
  if (!server.listening) return
  shortenAcceptQueue(server)
  await emptyAcceptQueue(server)
  await new Promise<void>((resolve) => server.close(() => resolve()))
}
