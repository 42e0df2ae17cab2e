import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { wrongWithHost } from './host.ts'

/** Answers a request at once; or returns false, and has not touched it. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean

/** Asks the shortcut before the framework, as long as the server takes new requests. */
export function takeShortcut({ server }: FastifyInstance, shortcut: Shortcut): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const isWhole = server.listening && wrongWithHost(request) === undefined
    if (isWhole && shortcut(request, response)) return
    for (const listener of listeners) listener(request, response)
  })
}
