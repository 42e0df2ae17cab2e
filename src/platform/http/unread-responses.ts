import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { steadyNow } from '../core/clock.ts'

type OpenSocket = Socket & { _handle?: { writeQueueSize: number } | null }
/** The bytes that a connection with waiting bytes had sent at the last check, and the check at which that was new. */
type Progress = { sentBytes: number; since: number }

/**
 * Closes connections whose client has read nothing of a waiting response for `ms`. A client that does not read would
 * otherwise keep its connection, and the reserved money of its request, forever.
 * @param elapsed a monotonic clock in milliseconds.
 */
export function closeUnreadResponses(server: Server, ms: number, elapsed: () => number = steadyNow): void {
  const sockets = new Map<OpenSocket, Progress | undefined>()
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  const check = () => {
    const now = elapsed()
    for (const [socket, lastProgress] of sockets) {
      const waitingBytes = countWaitingBytes(socket)
      const sentBytes = socket.bytesWritten - waitingBytes
      if (waitingBytes === 0) sockets.set(socket, undefined)
      else if (lastProgress?.sentBytes !== sentBytes) sockets.set(socket, { sentBytes, since: now })
      else if (now - lastProgress.since >= ms) socket.destroy()
    }
  }
  const timer = setInterval(check, ms / 4).unref()
  server.once('close', () => clearInterval(timer))
}

/** The bytes that the system has not accepted yet. */
export function countWaitingBytes(socket: OpenSocket): number {
  return socket.writableLength + (socket._handle?.writeQueueSize ?? 0)
}
