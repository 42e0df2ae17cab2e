import type { Socket } from 'node:net'
import type { Server } from 'node:tls'

/**
 * Limits connections without a completed TLS handshake to `max`: a new one closes the oldest. Legitimate clients complete the
 * handshake before they become the oldest.
 */
export function limitHandshakes(server: Pick<Server, 'on'>, max: number): void {
  const pendingHandshakes = new Map<string, Socket>()
  // `secureConnection` passes another socket object than `connection`, so connections are identified by their address and port.
  const connectionName = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket) => {
    const name = connectionName(socket)
    pendingHandshakes.set(name, socket)
    socket.once('close', () => {
      if (pendingHandshakes.get(name) === socket) pendingHandshakes.delete(name)
    })
    const [oldest] = pendingHandshakes
    if (!oldest || pendingHandshakes.size <= max) return
    const [oldestName, oldestSocket] = oldest
    pendingHandshakes.delete(oldestName)
    oldestSocket.destroy()
  })
  server.on('secureConnection', (socket) => void pendingHandshakes.delete(connectionName(socket)))
}
