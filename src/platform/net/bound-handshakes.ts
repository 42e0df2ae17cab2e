import type { Socket } from 'node:net'
import type { Server } from 'node:tls'

/**
 * Strangers who connect and say nothing hold no more than `most` connections: whoever has waited the longest goes when
 * another comes. Whoever shakes hands at once, as servers do, is through before that.
 */
export function boundHandshakes(server: Pick<Server, 'on'>, most: number): void {
  const waiting = new Map<string, Socket>()
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket) => {
    const name = nameOf(socket)
    waiting.set(name, socket)
    socket.once('close', () => {
      if (waiting.get(name) === socket) waiting.delete(name)
    })
    if (waiting.size <= most) return
    const [oldest, longest] = waiting.entries().next().value!
    waiting.delete(oldest)
    longest.destroy()
  })
  server.on('secureConnection', (socket) => void waiting.delete(nameOf(socket)))
}
