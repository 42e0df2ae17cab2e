import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { discardBody } from './request-body.ts'

/** The maximum number of queued requests of one connection before the server stops reading from it. */
const maxWaiting = 31

/**
 * Handles the requests of each connection one after another: a pipelined request starts when the previous response has been
 * passed to the operating system. So a client that does not read its responses has at most one in memory.
 *
 * It also adds a permanent error listener to every request and response. When a client disconnects, Node checks for a
 * listener, and emits `error` in a later turn of the event loop. If the reader of the body removes its own listener in
 * between, an `error` without a listener ends the process. A response emits `error` if it is written after its end.
 */
export function serializeRequests(listener: RequestListener): RequestListener {
  return (request, response) => startAfterPrevious(request, response, () => listener(request, response))
}

/** Serializes one request: calls `start` when the previous response was passed on, and never if its client disconnects first. */
export function startAfterPrevious(request: IncomingMessage, response: ServerResponse, start: () => void): void {
  request.on('error', ignoreError)
  response.on('error', ignoreError)
  response.on('finish', discardRest)
  // Node drops what follows a request with `Upgrade` in the same packet, even if it handles the request as an ordinary one. The
  // connection is closed after the response, so that the client notices that nothing else was read.
  if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
  // Node assigns the socket to a response after it has sent the previous response.
  if (response.socket) return start()
  const queue = findQueue(request.socket)
  queue.add()
  response.once('socket', () => enqueueStart({ response, start, queue }))
}

function ignoreError(): void {}

/** Discards the unread body. Otherwise Node would answer the request a second time, with 408, if the body never ends. */
function discardRest(this: ServerResponse): void {
  discardBody(this.req)
}

type WaitingRequest = { response: ServerResponse; start: () => void; queue: Queue }

/** Requests of all connections that can start. */
const readyRequests: WaitingRequest[] = []

/** Starts one waiting request per turn of the event loop, so that requests of other connections start in between. */
function enqueueStart(waiting: WaitingRequest): void {
  if (readyRequests.push(waiting) === 1) setImmediate(startFirst)
}

function startFirst(): void {
  const { response, start, queue } = readyRequests.shift()!
  if (readyRequests.length > 0) setImmediate(startFirst)
  queue.remove()
  if (!response.destroyed) start()
}

const queues = new WeakMap<Socket, Queue>()

function findQueue(socket: Socket): Queue {
  return queues.getOrInsertComputed(socket, () => new Queue(socket))
}

/** Counts the waiting requests of one connection, and stops reading from it while there are too many. */
class Queue {
  readonly #socket: Socket
  #waiting = 0

  constructor(socket: Socket) {
    this.#socket = socket
    // Node resumes a connection when a body is read and when a response has drained.
    socket.on('resume', () => {
      if (this.#isFull) socket.pause()
    })
  }

  get #isFull(): boolean {
    return this.#waiting >= maxWaiting
  }

  add(): void {
    this.#waiting++
    if (this.#waiting === maxWaiting) this.#socket.pause()
  }

  remove(): void {
    this.#waiting--
    if (this.#waiting === maxWaiting - 1) this.#socket.resume()
  }
}
