import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/** A request that receives the connection it is sent on. */
type SentRequest = { onConnection: (connection: Connection) => void }

/** The connection that a request is sent on, as it was when the request was sent. */
export type Connection = {
  /** Whether it has carried a request before. */
  isReused: boolean
  /** Whether a byte arrived on it since the request was sent. */
  hasResponded: () => boolean
}

const usedSockets = new WeakSet<Socket>()
let startingRequest: SentRequest | undefined
let isSubscribed = false

/**
 * Reports the connection of a request. Call it in the handler `onRequestStart` of undici. In the same tick, undici publishes the
 * socket on a diagnostics channel, which is the only place that names it.
 */
export function watchConnection(request: SentRequest): void {
  if (!isSubscribed) {
    isSubscribed = true
    subscribe('undici:client:sendHeaders', (message) => reportConnection((message as { socket: Socket }).socket))
  }
  startingRequest = request
}

function reportConnection(socket: Socket): void {
  const request = startingRequest
  startingRequest = undefined
  const isReused = usedSockets.has(socket)
  usedSockets.add(socket)
  const bytesReadBefore = socket.bytesRead
  request?.onConnection({ isReused, hasResponded: () => socket.bytesRead !== bytesReadBefore })
}
