import type { IncomingMessage } from 'node:http'

/**
 * The body of a request as it arrives. A reader that stops before the end leaves the connection open for the answer.
 */
export function readRequestBody(request: IncomingMessage): AsyncIterable<Buffer> {
  // Never removed. When the client leaves, Node emits `error` a turn after it has looked for a listener. The iterator
  // can remove its own listener in between, and an `error` without a listener ends the process.
  request.on('error', () => {})
  return { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) }
}
