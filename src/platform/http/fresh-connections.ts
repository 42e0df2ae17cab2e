import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A client that connected and has sent nothing for so long is idle. */
const freshMs = 5_000

/**
 * Node counts a connection as idle until the first byte of its first request is read, and closes it when the server is
 * closed. On a busy machine that request was sent long before. Here `closeIdleConnections` waits for new connections: it
 * does nothing while there is one, and must be called again.
 */
export function spareFreshConnections(server: Server): void {
  const opened = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    opened.set(socket, performance.now())
    socket.once('close', () => opened.delete(socket))
  })
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    const since = performance.now() - freshMs
    const hasFresh = opened.entries().some(([socket, openedAt]) => socket.bytesRead === 0 && openedAt > since)
    if (!hasFresh) closeIdle()
  }
}
