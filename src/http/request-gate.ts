import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that are handled at the same time. Clients rarely pipeline; those that do get turns. */
const maxInFlight = 8

/** Bytes of answers that a connection may leave unread before it gets another one started. */
const maxUnreadBytes = 64 * 1024

/**
 * Bounds what one connection can make a server do. Node emits every pipelined request that a read of the socket holds,
 * about a thousand, and keeps their answers in memory until the client reads them. This gate starts a few requests at
 * a time, and reads no more from a connection whose requests wait.
 *
 * It also keeps an error listener on every request. A request whose client leaves emits `error` even after its reader
 * removed its own listener, and an `error` without a listener ends the process.
 *
 * Call it once, after all `request` listeners are in place.
 */
export function gateRequests(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  const gates = new WeakMap<Socket, ConnectionGate>()
  const start = (request: IncomingMessage, response: ServerResponse) => {
    for (const listener of listeners) listener.call(server, request, response)
  }
  server.on('request', (request, response) => {
    const { socket } = request
    const gate = gates.get(socket) ?? new ConnectionGate(socket, start)
    gates.set(socket, gate)
    request.on('error', ignoreError)
    gate.enter(request, response)
  })
}

function ignoreError(): void {}

type Exchange = { request: IncomingMessage; response: ServerResponse }

class ConnectionGate {
  readonly #socket: Socket
  readonly #start: (request: IncomingMessage, response: ServerResponse) => void
  readonly #inFlight = new Set<ServerResponse>()
  #waiting: Exchange[] = []
  #isPaused = false

  constructor(socket: Socket, start: (request: IncomingMessage, response: ServerResponse) => void) {
    this.#socket = socket
    this.#start = start
  }

  enter(request: IncomingMessage, response: ServerResponse): void {
    if (this.#waiting.length === 0 && this.#hasRoom()) return this.#begin({ request, response })
    this.#waiting.push({ request, response })
    this.#pause()
  }

  #begin({ request, response }: Exchange): void {
    this.#inFlight.add(response)
    response.on('close', () => {
      this.#inFlight.delete(response)
      if (this.#waiting.length > 0) this.#continue()
    })
    this.#start(request, response)
  }

  #continue(): void {
    if (this.#socket.destroyed) {
      this.#waiting = []
      return
    }
    while (this.#waiting.length > 0 && this.#hasRoom()) this.#begin(this.#waiting.shift()!)
    if (this.#waiting.length === 0) this.#resume()
  }

  #hasRoom(): boolean {
    if (this.#inFlight.size === 0) return true
    if (this.#inFlight.size >= maxInFlight) return false
    let unread = 0
    for (const { writableLength } of this.#inFlight) unread += writableLength
    return unread <= maxUnreadBytes
  }

  /** Node's parser reads the socket's handle itself; a listener for data makes it read the stream, which can pause. */
  #pause(): void {
    if (this.#isPaused) return
    this.#isPaused = true
    this.#socket.on('data', ignoreError)
    this.#socket.pause()
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket.off('data', ignoreError)
    this.#socket.resume()
  }
}
