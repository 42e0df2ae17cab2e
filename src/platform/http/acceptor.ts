import type { Server } from 'node:http'
import { createServer, type Server as NetServer, type Socket } from 'node:net'

/** Takes connections for a server, from sockets that another process has bound and keeps open. */
export type Acceptor = {
  /** From now on from these, by their descriptors, and from no others. */
  accept: (sockets: readonly number[]) => Promise<void>
  /** From none any more. Resolves when the last connection is over. */
  close: () => Promise<void>
}

/** The server does not listen itself: which sockets it answers on changes while connections go on. */
export function createAcceptor(server: Server): Acceptor {
  // Node keeps time of requests from the moment at which a server listens.
  server.emit('listening')
  const accepting = new Map<number, NetServer>()
  const connections = new Set<Socket>()
  let whenNone = () => {}

  function take(socket: Socket): void {
    connections.add(socket)
    socket.once('close', () => {
      connections.delete(socket)
      if (connections.size === 0) whenNone()
    })
    server.emit('connection', socket)
  }
  function begin(socket: number): Promise<void> {
    const listening = Promise.withResolvers<void>()
    // As node:http makes its own.
    const acceptor = createServer({ allowHalfOpen: true, noDelay: true }, take)
    accepting.set(socket, acceptor)
    acceptor.once('error', listening.reject)
    acceptor.listen({ fd: socket }, listening.resolve)
    return listening.promise
  }
  function end(socket: number): void {
    accepting.get(socket)?.close()
    accepting.delete(socket)
  }

  return {
    async accept(sockets) {
      for (const socket of [...accepting.keys()]) if (!sockets.includes(socket)) end(socket)
      await Promise.all(sockets.filter((socket) => !accepting.has(socket)).map(begin))
    },
    async close() {
      for (const socket of [...accepting.keys()]) end(socket)
      if (connections.size === 0) return
      await new Promise<void>((resolve) => {
        whenNone = resolve
      })
    },
  }
}
