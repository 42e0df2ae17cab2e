import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Fault } from '../../core/fault.ts'
import { readRequestBody } from '../../net/request-body.ts'

/** Connections with an upload, which has no time limit while data arrives. */
const uploading = new WeakSet<Socket>()

/** An upload without data for this time has ended, in milliseconds. */
const longestSilenceMs = 30_000

/** Returns whether the connection has an upload, which has separate timeouts. */
export const isUploading = (socket: Socket): boolean => uploading.has(socket)

/** Lets the routes of this scope accept any body as a stream. */
export function passBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/**
 * Returns the body of a request as a stream. A reader that stops before the end can still answer; the rest of the body
 * is then dropped. The time that the reader takes for a piece does not count as the client's silence.
 * @throws Fault when no data arrives for too long, or the client has disconnected.
 */
export async function* uploadOf(request: IncomingMessage, silenceMs = longestSilenceMs): AsyncGenerator<Buffer> {
  const { socket } = request
  uploading.add(socket)
  let silent = false
  let isRead = false
  const timer = setTimeout(() => {
    if (isRead) return
    silent = true
    request.destroy()
  }, silenceMs).unref()
  try {
    for await (const piece of readRequestBody(request)) {
      isRead = true
      yield piece
      isRead = false
      timer.refresh()
    }
    if (!request.complete) throw new Error('aborted')
  } catch (error) {
    if (silent) throw new Fault('request_timeout', `No data of the body arrived for ${silenceMs / 1000} seconds.`)
    throw request.errored || !request.complete
      ? new Fault('client_closed_request', 'The client closed the request.')
      : error
  } finally {
    clearTimeout(timer)
    uploading.delete(socket)
    request.resume()
  }
}
