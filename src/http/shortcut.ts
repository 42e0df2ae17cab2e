import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { wrongWithHost } from './host.ts'

/** Answers a request at once; or returns false, and has not touched it. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean

/** Asks the shortcuts before the framework, until it is closed. */
export function takeShortcuts(app: FastifyInstance, closing: () => boolean, shortcuts: readonly Shortcut[]): void {
  const { server } = app
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (!closing() && wrongWithHost(request) === undefined)
      for (const shortcut of shortcuts) if (shortcut(request, response)) return
    for (const listener of listeners) listener(request, response)
  })
}
