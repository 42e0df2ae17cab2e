import type { ServerResponse } from 'node:http'

/** Longer pieces are not copied to be framed. */
const maxFramedLength = 16_384

/**
 * Writes the body of a chunked answer. Once the head is on its way a piece goes to the socket as one frame: the response
 * itself takes four writes and a turn of the loop for it, which is most of what the small pieces of a stream cost.
 */
export function chunkedBody(response: ServerResponse) {
  // None yet while an earlier answer to a client that pipelines has it; `onDrain` could not listen to it then.
  const { socket } = response
  let begun = false
  /** Whether a piece may be written to the socket directly: the response has nothing buffered that must go first. */
  const isFlowing = () => begun && response.chunkedEncoding && response.writableCorked === 0 && !response.writableEnded
  const write = (piece: string | Buffer): boolean => {
    const isSmall = piece.length > 0 && piece.length <= maxFramedLength
    if (socket && socket === response.socket && isSmall && isFlowing()) {
      // A reader who is gone is not a slow one. Its departure is told a turn of the loop later.
      return socket.write(framed(piece)) || socket.destroyed
    }
    begun = true
    return response.write(piece)
  }
  return {
    /** @returns false when the reader is slow. */
    write,
    /** Ends the answer: its last piece and the end go out together. */
    end(last: string | Buffer): void {
      // The response's own end opens it again.
      if (socket && socket === response.socket && isFlowing()) socket.cork()
      write(last)
      response.end()
    },
    /** Calls `listener` each time the reader has caught up. */
    onDrain(listener: () => void): void {
      response.on('drain', listener)
      socket?.on('drain', listener)
      response.once('close', () => socket?.off('drain', listener))
    },
  }
}

function framed(piece: string | Buffer): string | Buffer {
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
