import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Acceptor } from './acceptor.ts'

/** How often connections that have become idle are looked for. */
const lookMs = 50

/** A server's way out: clients are sent elsewhere first, those under way may finish, and it is over with the last one. */
export type Leaving = {
  /** Whether new clients should go elsewhere, as they are told by the health check. */
  isLeaving: () => boolean
  /** Takes new requests for so long, each on a connection that ends with its answer. Or until somebody is in a hurry. */
  drain: (server: Server, ms: number) => Promise<void>
  hurry: () => void
  /** Takes none any more. Those under way may finish within the grace; then they are broken off. */
  close: (app: FastifyInstance, graceMs: number, acceptor?: Pick<Acceptor, 'close'>) => Promise<void>
  /** Takes no new connections; those that are open end with their next answers, or when clients leave them. */
  retire: (server: Server, acceptor: Pick<Acceptor, 'close'>) => Promise<void>
}

export function createLeaving(): Leaving {
  let leaving = false
  const hurried = Promise.withResolvers<void>()
  const leave = (server: Server) => {
    if (leaving) return
    leaving = true
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false
    })
  }
  return {
    isLeaving: () => leaving,
    async drain(server, ms) {
      leave(server)
      if (ms === 0) return
      const timer = setTimeout(hurried.resolve, ms)
      await hurried.promise
      clearTimeout(timer)
    },
    hurry: hurried.resolve,
    async retire(server, acceptor) {
      leave(server)
      await acceptor.close()
    },
    async close(app, graceMs, acceptor) {
      leave(app.server)
      // A stream that began before has a connection that is kept: nobody else would close it when the stream is over.
      const idle = setInterval(() => app.server.closeIdleConnections(), lookMs)
      const impatience = setTimeout(() => app.server.closeAllConnections(), graceMs)
      await acceptor?.close()
      await app.close()
      clearInterval(idle)
      clearTimeout(impatience)
    },
  }
}
