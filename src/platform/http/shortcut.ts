import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { inTurn } from '../net/pipelined-requests.ts'
import { wrongWithHost } from './request/host.ts'

/** Answers a request at once; or returns false, and has not touched it. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean

/**
 * Tries the shortcuts before the framework, until the server is closed. Pipelined requests of one connection are handled
 * one after another.
 */
export function takeShortcuts(app: FastifyInstance, closing: () => boolean, shortcuts: readonly Shortcut[]): void {
  const { server } = app
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  const handle: RequestListener = (request, response) => {
    if (!closing() && wrongWithHost(request) === undefined)
      for (const shortcut of shortcuts) if (shortcut(request, response)) return
    for (const listener of listeners) listener(request, response)
  }
  server.on('request', inTurn(handle))
}
