import type { FastifyInstance } from 'fastify'
import { type InternAddress, openInternListener } from '#api/server/intern-listener.ts'
import type { Acceptor } from '#platform/http/acceptor.ts'
import type { Shutdown } from '#platform/http/shutdown.ts'

/**
 * The end of a worker's server after the drain, in steps: `serveInterns` stops accepting clients, and still accepts interns of this
 * host, which call this server while they work on turns for other servers. `clientsGone` resolves when the last client has
 * disconnected. `endInterns` ends `serveInterns`. Then `close` closes the server.
 */
export type WorkerClosing = {
  /** Resolves when the last client has disconnected, after `serveInterns` was called. */
  clientsGone: Promise<void>
  /** Accepts only interns of this host at the address. Resolves after `endInterns`. */
  serveInterns: (address: InternAddress) => Promise<void>
  endInterns: () => void
  /** Closes the server. Requests in flight have the rest of the grace time. */
  close: () => Promise<void>
}

export function createWorkerClosing(
  app: FastifyInstance,
  acceptor: Acceptor,
  shutdown: Shutdown,
  graceMs: number,
): WorkerClosing {
  const clientsGone = Promise.withResolvers<void>()
  const internsEnded = Promise.withResolvers<void>()
  let remainingMs = graceMs
  return {
    clientsGone: clientsGone.promise,
    endInterns: internsEnded.resolve,
    async serveInterns(address) {
      const startedAt = performance.now()
      shutdown.beginShutdown(app.server)
      // Not awaited: interns are accepted while the clients finish their requests.
      void acceptor.close().then(clientsGone.resolve)
      // The acceptor has stopped accepting clients. The server itself can have another listener.
      await using _listener = await openInternListener(app.server, address, { reusePort: true })
      await internsEnded.promise
      remainingMs = Math.max(0, graceMs - (performance.now() - startedAt))
    },
    close: () => shutdown.close(app, remainingMs, acceptor),
  }
}
