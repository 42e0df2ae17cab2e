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
  return {
    /** @returns false when the reader is slow. */
    write(piece: string | Buffer): boolean {
      const isSmall = typeof piece === 'string' && piece.length > 0 && piece.length <= maxFramedLength
      if (socket && socket === response.socket && isSmall && isFlowing()) {
        return socket.write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`)
      }
      begun = true
      return response.write(piece)
    },
    /** Calls `listener` each time the reader has caught up. */
    onDrain(listener: () => void): void {
      response.on('drain', listener)
      socket?.on('drain', listener)
      response.once('close', () => socket?.off('drain', listener))
    },
  }
}
