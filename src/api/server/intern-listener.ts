import type { Server } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const retryMs = 20
const retries = 100
const idleLookMs = 50

/** The address at which interns of this host reach the service. */
export type InternAddress = { host: string; port: number }

/**
 * Closes the listener of a server to new clients, but keeps the address at which the interns of this host reach it.
 * While their turns are in flight, their agents call models through this server. Turns of other servers count too.
 * @returns `clientsGone`, which resolves when the earlier connections are closed.
 */
export async function keepInternListener(
  server: Server,
  address: InternAddress,
): Promise<AsyncDisposable & { clientsGone: Promise<void> }> {
  const clientsGone = Promise.withResolvers<void>()
  server.close(() => clientsGone.resolve())
  const idle = setInterval(() => server.closeIdleConnections(), idleLookMs)
  const sockets = new Set<Socket>()
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    server.emit('connection', socket)
  })
  await listenAgain(listener, address)
  return {
    clientsGone: clientsGone.promise,
    async [Symbol.asyncDispose]() {
      clearInterval(idle)
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()))
      server.closeIdleConnections()
      for (const socket of sockets) socket.destroySoon()
      await closed
    },
  }
}

/** Listens again on an address that was just released. It stays closed if another program has taken the address. */
async function listenAgain(listener: ReturnType<typeof createServer>, { host, port }: InternAddress): Promise<void> {
  for (let attempt = 0; attempt < retries; attempt++) {
    const listening = Promise.withResolvers<boolean>()
    listener.once('error', () => listening.resolve(false))
    listener.listen(port, host, () => listening.resolve(true))
    if (await listening.promise) return
    listener.removeAllListeners('error')
    await sleep(retryMs)
  }
}
