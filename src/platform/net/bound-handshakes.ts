import type { Socket } from 'node:net'
import type { Server } from 'node:tls'

/**
 * Limits connections without a completed TLS handshake to `max`: a new one closes the oldest. Legitimate clients complete the
 * handshake before that.
 */
export function boundHandshakes(server: Pick<Server, 'on'>, max: number): void {
  const waiting = new Map<string, Socket>()
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket) => {
    const name = nameOf(socket)
    waiting.set(name, socket)
    socket.once('close', () => {
      if (waiting.get(name) === socket) waiting.delete(name)
    })
    if (waiting.size <= max) return
    const [oldestName, oldest] = waiting.entries().next().value!
    waiting.delete(oldestName)
    oldest.destroy()
  })
  server.on('secureConnection', (socket) => void waiting.delete(nameOf(socket)))
}
