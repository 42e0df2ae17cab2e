import { closeSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer, type Server as NetServer, type Socket } from 'node:net'
import { emptyAcceptQueue } from './accept-queue.ts'

/** Takes connections for a server, from sockets that another process has bound and keeps open. */
export type Acceptor = {
  /** Accepts connections from these descriptors from now on, and from no others. */
  accept: (sockets: readonly number[]) => Promise<void>
  /** Accepts no more connections. Resolves when the last one is closed. */
  close: () => Promise<void>
  /**
   * Closes the descriptors that accept no connections. A socket refuses connections when every process has closed it;
   * until then they wait.
   */
  release: (sockets: readonly number[]) => void
}

/** The server does not listen itself: its sockets can change while connections are open. */
export function createAcceptor(server: Server): Acceptor {
  // Node measures the time of requests from the moment at which a server listens.
  server.emit('listening')
  const accepting = new Map<number, NetServer>()
  // The numbers of closed descriptors can be in use again for other files.
  const closed = new Set<number>()
  const connections = new Set<Socket>()
  let none: PromiseWithResolvers<void> | undefined

  function track(socket: Socket): void {
    connections.add(socket)
    socket.once('close', () => {
      connections.delete(socket)
      if (connections.size === 0) none?.resolve()
    })
    server.emit('connection', socket)
  }
  function listen(socket: number): Promise<void> {
    const listening = Promise.withResolvers<void>()
    // The options with which node:http creates its sockets.
    const acceptor = createServer({ allowHalfOpen: true, noDelay: true }, track)
    accepting.set(socket, acceptor)
    acceptor.once('error', listening.reject)
    acceptor.listen({ fd: socket }, listening.resolve)
    return listening.promise
  }
  function stopListening(socket: number): void {
    accepting.get(socket)?.close()
    accepting.delete(socket)
    closed.add(socket)
  }

  return {
    async accept(sockets) {
      for (const socket of [...accepting.keys()]) if (!sockets.includes(socket)) stopListening(socket)
      await Promise.all(sockets.filter((socket) => !accepting.has(socket) && !closed.has(socket)).map(listen))
    },
    async close() {
      await Promise.all(accepting.values().map(emptyAcceptQueue))
      for (const socket of [...accepting.keys()]) stopListening(socket)
      if (connections.size === 0) return
      none ??= Promise.withResolvers()
      await none.promise
    },
    release(sockets) {
      for (const socket of sockets) {
        if (accepting.has(socket) || closed.has(socket)) continue
        closeSync(socket)
        closed.add(socket)
      }
    },
  }
}
