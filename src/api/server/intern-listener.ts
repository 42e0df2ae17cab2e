import type { Server } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { retry } from '#platform/async/retry.ts'
import { emptyAcceptQueue } from '#platform/http/accept-queue.ts'
import { withoutBrackets } from '#platform/net/addresses/host-name.ts'
import { reachableUrl } from '../access/address.ts'

const retries = { attempts: 100, pauseMs: 20 }
const idleCheckMs = 50
/** How long a closing connection can send the remaining bytes of its response. */
const flushMs = 1000

/** The address at which interns of this host reach the service. */
export type InternAddress = { host: string; port: number }

/** @param url a base URL of the service. */
export function internAddress(url: string): InternAddress {
  const { hostname, port } = new URL(reachableUrl(url))
  return { host: withoutBrackets(hostname), port: Number(port) }
}

/**
 * Closes the listener of a server to new clients, but keeps the address at which the interns of this host reach it.
 * While their turns are in flight, their agents call models through this server. Turns of other servers count too.
 * @returns `clientsClosed`, which resolves when the earlier connections are closed. Dispose the result to close the
 * address.
 */
export async function keepInternListener(
  server: Server,
  address: InternAddress,
): Promise<AsyncDisposable & { clientsClosed: Promise<void> }> {
  const clientsClosed = Promise.withResolvers<void>()
  await emptyAcceptQueue(server)
  server.close(() => clientsClosed.resolve())
  const listener = await openInternListener(server, address)
  return { clientsClosed: clientsClosed.promise, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() }
}

/**
 * Accepts connections of interns for a server that accepts no others. Idle connections of the server are closed.
 * @param options.reusePort lets several processes listen on the address.
 */
export async function openInternListener(
  server: Server,
  address: InternAddress,
  options: { reusePort?: boolean } = {},
): Promise<AsyncDisposable> {
  const idleTimer = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  const sockets = new Set<Socket>()
  // The options of Node's HTTP servers, which get the sockets.
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    server.emit('connection', socket)
  })
  await retryListen(listener, { ...address, ...options })
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(idleTimer)
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()))
      server.closeIdleConnections()
      for (const socket of sockets) socket.destroySoon()
      // A client that does not read its response would keep the connection open.
      const forceTimer = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, flushMs)
      await closed
      clearTimeout(forceTimer)
    },
  }
}

/** Listens again on an address that was just released. It stays closed if another program has taken the address. */
async function retryListen(
  listener: ReturnType<typeof createServer>,
  address: InternAddress & { reusePort?: boolean },
): Promise<void> {
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      listener.removeAllListeners('error').once('error', reject).listen(address, resolve)
    })
  await retry(listen, (failures) => (failures < retries.attempts ? retries.pauseMs : undefined)).catch(() => {})
}
