import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { emptyAcceptQueue } from './accept-queue.ts'
import type { Acceptor } from './acceptor.ts'

/** The interval at which idle connections are looked for. */
const lookMs = 50

/** Graceful shutdown: new clients are sent elsewhere, requests in flight may finish, then connections close. */
export type Shutdown = {
  /** Whether the health check fails, so that new clients use another server. */
  isShuttingDown: () => boolean
  /** Marks the service as shutting down: each connection closes after its next answer. */
  leave: (server: Server) => void
  /** Takes new requests for `ms` more, each on a connection that closes after its answer; or until `skipDrain`. */
  drain: (server: Server, ms: number) => Promise<void>
  skipDrain: () => void
  /** Takes no more requests. Those in flight may finish within `graceMs`; then their connections are closed. */
  close: (app: FastifyInstance, graceMs: number, acceptor?: Pick<Acceptor, 'close'>) => Promise<void>
  /** Takes no new connections; those that are open end with their next answers, or when clients leave them. */
  retire: (server: Server, acceptor: Pick<Acceptor, 'close'>) => Promise<void>
}

export function createShutdown(): Shutdown {
  let shutdown = false
  const hurried = Promise.withResolvers<void>()
  const leave = (server: Server) => {
    if (shutdown) return
    shutdown = true
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false
    })
  }
  return {
    isShuttingDown: () => shutdown,
    leave,
    async drain(server, ms) {
      leave(server)
      if (ms === 0) return
      const timer = setTimeout(hurried.resolve, ms)
      await hurried.promise
      clearTimeout(timer)
    },
    skipDrain: hurried.resolve,
    async retire(server, acceptor) {
      leave(server)
      await acceptor.close()
    },
    async close(app, graceMs, acceptor) {
      leave(app.server)
      // A stream that began before has a connection that is kept: nobody else would close it when the stream is over.
      const idle = setInterval(() => app.server.closeIdleConnections(), lookMs)
      const impatience = setTimeout(() => app.server.closeAllConnections(), graceMs)
      try {
        await acceptor?.close()
        // Before the framework closes, which would answer 503 to requests of connections that were accepted before.
        await closeListener(app.server)
        await app.close()
      } finally {
        clearInterval(idle)
        clearTimeout(impatience)
      }
    },
  }
}

/** Refuses new connections. Resolves when those that were accepted before are closed. */
async function closeListener(server: Server): Promise<void> {
  if (!server.listening) return
  await emptyAcceptQueue(server)
  await new Promise<void>((resolve) => server.close(() => resolve()))
}
