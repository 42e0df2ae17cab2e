import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Longer pieces are sent without a copy. */
const maxFramedLength = 16_384

/**
 * Writes the body of a chunked response. After the head was sent, each piece goes to the socket as one frame. The
 * response itself needs four writes and a turn of the event loop for it, which is most of the cost of a small piece.
 */
export class ChunkedBody {
  readonly #response: ServerResponse
  // Null while an earlier response on the same connection (pipelining) uses the socket; `onDrain` cannot listen to it
  // then.
  readonly #socket: Socket | null
  #hasStarted = false

  constructor(response: ServerResponse) {
    this.#response = response
    this.#socket = response.socket
  }

  /** @returns false when the reader is slow. */
  write(piece: string | Buffer): boolean {
    const socket = piece.length > 0 && piece.length <= maxFramedLength ? this.#directSocket() : undefined
    // A disconnected client is not a slow one. Node reports the disconnect in the next turn of the event loop.
    if (socket) return socket.write(toFrame(piece)) || socket.destroyed
    this.#hasStarted = true
    return this.#response.write(piece)
  }

  /** Ends the response. The last piece and the end are sent together. */
  end(last: string | Buffer): void {
    // The response's `end` uncorks it.
    this.#directSocket()?.cork()
    this.write(last)
    this.#response.end()
  }

  /** Calls `listener` each time the reader has caught up. */
  onDrain(listener: () => void): void {
    const socket = this.#socket
    this.#response.on('drain', listener)
    if (!socket) return
    socket.on('drain', listener)
    this.#response.on('close', () => void socket.off('drain', listener))
  }

  /** The socket, if a piece can be written to it directly: the response has nothing buffered that must go first. */
  #directSocket(): Socket | undefined {
    const response = this.#response
    const canWriteDirectly =
      this.#hasStarted && response.chunkedEncoding && response.writableCorked === 0 && !response.writableEnded
    return canWriteDirectly && this.#socket !== null && this.#socket === response.socket ? this.#socket : undefined
  }
}

function toFrame(piece: string | Buffer): string | Buffer {
  if (typeof piece === 'string') return `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`
  const length = piece.length.toString(16)
  const frame = Buffer.allocUnsafe(length.length + piece.length + 4)
  const start = frame.write(`${length}\r\n`, 'latin1')
  frame.set(piece, start)
  frame[start + piece.length] = carriageReturn
  frame[start + piece.length + 1] = lineFeed
  return frame
}

const carriageReturn = 13
const lineFeed = 10
