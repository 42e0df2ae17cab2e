import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The most requests of one connection that wait for their turn before the server stops reading from it. */
const maxWaiting = 31

/**
 * Handles the requests of each connection one after another: a pipelined request starts when the system has taken the
 * whole answer before it. So a client that does not read its answers has one in memory, however many it requested.
 *
 * It also adds an error listener to every request, which is never removed. When a client leaves, Node emits `error` a
 * turn after it looked for a listener. The reader of the body can remove its own listener in between, and an `error`
 * without a listener ends the process.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const startNext = onePerLoopTurn(listener)
  return (request, response) => {
    request.on('error', ignoreError)
    // Node gives a response its socket when the answer before it has been sent.
    if (response.socket) return listener(request, response)
    const queue = queueOf(request.socket)
    queue.add()
    response.once('socket', () => startNext(request, response, queue))
  }
}

function ignoreError(): void {}

type Exchange = { request: IncomingMessage; response: ServerResponse; queue: Queue }

/** Starts one waiting request per turn of the event loop, so that requests of other connections start in between. */
function onePerLoopTurn(listener: RequestListener) {
  const ready: Exchange[] = []
  function startFirst(): void {
    const { request, response, queue } = ready.shift()!
    if (ready.length > 0) setImmediate(startFirst)
    queue.remove()
    if (!response.destroyed) listener(request, response)
  }
  return (request: IncomingMessage, response: ServerResponse, queue: Queue): void => {
    if (ready.push({ request, response, queue }) === 1) setImmediate(startFirst)
  }
}

const queues = new WeakMap<Socket, Queue>()

function queueOf(socket: Socket): Queue {
  return queues.getOrInsertComputed(socket, () => new Queue(socket))
}

/** Counts the waiting requests of one connection, and stops reading from it while there are too many. */
class Queue {
  readonly #socket: Socket
  #waiting = 0

  constructor(socket: Socket) {
    this.#socket = socket
    // Node resumes a connection whenever a body is read or an answer has drained.
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
