import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

/**
 * Iterates over the body of a request. If the reader stops early, the connection stays open for the response. The server must
 * handle requests with `serializeRequests` (`pipelined-requests.ts`), because the iterator removes its error listener when the reader
 * stops.
 */
export function readRequestBody(request: IncomingMessage): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) }
}

/** Requests whose remaining body is being discarded. */
const discarding = new WeakSet<IncomingMessage>()

/** How much of a refused body is read, and for how long, before its connection is closed. */
const discardLimits = { bytes: 16 * 1024 * 1024, ms: 5_000 }

/**
 * Reads and discards the remaining body of a request that is refused, within limits. Closing a connection while the client is still
 * sending resets it, and the client reports a network error instead of the refusal. So the close waits for the body.
 */
export function discardBody(request: IncomingMessage, { bytes, ms } = discardLimits): void {
  const { socket } = request
  // The socket of a request that a test injects cannot be closed.
  if (request.complete || request.destroyed || discarding.has(request) || !(socket instanceof Socket)) return
  discarding.add(request)
  let remaining = bytes
  let isClosing = false
  // Node calls `destroySoon` after a response with `Connection: close`.
  const closeLater = () => {
    isClosing = true
  }
  socket.destroySoon = closeLater
  const finish = ({ closes }: { closes: boolean }) => {
    clearTimeout(timer)
    request.off('data', count).off('end', end).off('close', end)
    Reflect.deleteProperty(socket, 'destroySoon')
    if (closes) socket.destroySoon()
  }
  const end = () => finish({ closes: isClosing })
  const count = (piece: Buffer) => {
    remaining -= piece.length
    if (remaining < 0) finish({ closes: true })
  }
  const timer = setTimeout(() => finish({ closes: true }), ms).unref()
  request.on('data', count).on('end', end).on('close', end).resume()
}
