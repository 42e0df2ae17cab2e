import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A client that connected and sent nothing for this time is idle. */
const newForMs = 5_000

/**
 * Node counts a connection as idle until it has read the first byte of the first request, and closes it when the server
 * closes. On a busy machine the client may have sent that request long before. So this function replaces the server's
 * `closeIdleConnections` by one that does nothing while a connection is new. Call `closeIdleConnections` again later.
 */
export function keepNewConnections(server: Server): void {
  const opened = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    opened.set(socket, performance.now())
    socket.once('close', () => opened.delete(socket))
  })
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    const since = performance.now() - newForMs
    const hasNew = opened.entries().some(([socket, openedAt]) => socket.bytesRead === 0 && openedAt > since)
    if (!hasNew) closeIdle()
  }
}
