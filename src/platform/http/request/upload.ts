import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Fault } from '../../core/fault.ts'
import { type BodyPace, readPacedBody } from '../../net/bodies/paced-body.ts'

/** Connections with an upload, which has no time limit while data arrives fast enough. */
const uploading = new WeakSet<Socket>()

/** Returns whether the connection has an upload, which has separate timeouts. */
export const isUploading = (socket: Socket): boolean => uploading.has(socket)

/** Lets the routes of this scope accept any body as a stream. */
export function passBodiesUnread(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/**
 * Returns the body of a request as a stream. A reader that stops before the end can still answer; the rest of the body
 * is then dropped.
 * @throws Fault when the data arrives too slowly, or the client has disconnected.
 */
export async function* readUpload(request: IncomingMessage, pace: BodyPace): AsyncGenerator<Buffer> {
  const { socket } = request
  uploading.add(socket)
  try {
    yield* readPacedBody(request, pace)
    if (!request.complete) throw new Error('aborted')
  } catch (error) {
    if (error instanceof Fault) throw error
    throw request.errored || !request.complete
      ? new Fault('client_closed_request', 'The client closed the request.')
      : error
  } finally {
    uploading.delete(socket)
    request.resume()
  }
}
