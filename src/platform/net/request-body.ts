import type { IncomingMessage } from 'node:http'

/**
 * The body of a request as it arrives. A reader that stops before the end leaves the connection open for the answer. The
 * server must handle its requests `inTurn`, because the iterator removes its error listener when its reader stops.
 */
export function readRequestBody(request: IncomingMessage): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) }
}

/** The most that is read of a refused body before its connection is closed. */
const discardLimits = { bytes: 16 * 1024 * 1024, ms: 5_000 }

/**
 * Reads and discards the rest of a refused request's body, within limits. A connection that is closed while its client
 * still sends is reset, and the client takes the refusal for a broken network. So the close waits for the body.
 */
export function discardBody(request: IncomingMessage, { bytes, ms } = discardLimits): void {
  if (request.complete || request.destroyed) return
  const { socket } = request
  let remaining = bytes
  let isClosing = false
  // Node closes with this method after an answer that ends its connection.
  const closeLater = () => {
    isClosing = true
  }
  socket.destroySoon = closeLater
  const finish = (closes: boolean) => {
    clearTimeout(timer)
    request.off('data', count).off('end', end).off('close', end)
    Reflect.deleteProperty(socket, 'destroySoon')
    if (closes) socket.destroySoon()
  }
  const end = () => finish(isClosing)
  const count = (piece: Buffer) => {
    remaining -= piece.length
    if (remaining < 0) finish(true)
  }
  const timer = setTimeout(finish, ms, true).unref()
  request.on('data', count).on('end', end).on('close', end).resume()
}
