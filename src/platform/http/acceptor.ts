import { closeSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer, type Server as NetServer, type Socket } from 'node:net'
import { emptyAcceptQueue } from './accept-queue.ts'

/**
 * Accepts connections for a server, at sockets that another process has bound and keeps open. File descriptors identify the
 * sockets.
 */
export type Acceptor = {
  /** Accepts connections from these descriptors from now on, and from no others. */
  accept: (descriptors: readonly number[]) => Promise<void>
  /** Stops accepting connections. Resolves when the last open connection is closed. */
  close: () => Promise<void>
  /**
   * Closes the given descriptors, except those at which this process accepts connections. A socket refuses connections when
   * every process has closed it. Until then, connections wait in its queue.
   */
  release: (descriptors: readonly number[]) => void
}

/** Creates an acceptor. The server must not listen itself: its sockets can change while connections are open. */
export function createAcceptor(server: Server): Acceptor {
  // Node measures the time of requests from the moment at which a server listens.
  server.emit('listening')
  // The listening server of each descriptor at which connections are accepted.
  const listeners = new Map<number, NetServer>()
  // Not used again, because other files can have the numbers of closed descriptors.
  const closed = new Set<number>()
  const connections = new Set<Socket>()
  let lastClosed: PromiseWithResolvers<void> | undefined

  function track(socket: Socket): void {
    connections.add(socket)
    socket.once('close', () => {
      connections.delete(socket)
      if (connections.size === 0) lastClosed?.resolve()
    })
    server.emit('connection', socket)
  }
  function listen(descriptor: number): Promise<void> {
    const listening = Promise.withResolvers<void>()
    // The options with which node:http creates its sockets.
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, track)
    listeners.set(descriptor, listener)
    listener.once('error', listening.reject)
    listener.listen({ fd: descriptor }, listening.resolve)
    return listening.promise
  }
  function stopListening(descriptor: number): void {
    listeners.get(descriptor)?.close()
    listeners.delete(descriptor)
    closed.add(descriptor)
  }

  return {
    async accept(descriptors) {
      for (const descriptor of [...listeners.keys()]) if (!descriptors.includes(descriptor)) stopListening(descriptor)
      await Promise.all(
        descriptors.filter((descriptor) => !listeners.has(descriptor) && !closed.has(descriptor)).map(listen),
      )
    },
    async close() {
      await Promise.all(listeners.values().map(emptyAcceptQueue))
      for (const descriptor of [...listeners.keys()]) stopListening(descriptor)
      if (connections.size === 0) return
      lastClosed ??= Promise.withResolvers()
      await lastClosed.promise
    },
    release(descriptors) {
      for (const descriptor of descriptors) {
        if (listeners.has(descriptor) || closed.has(descriptor)) continue
        closeSync(descriptor)
        closed.add(descriptor)
      }
    },
  }
}
