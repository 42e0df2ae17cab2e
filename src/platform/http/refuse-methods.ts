import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../core/fault.ts'
import {
  createPathFinder,
  findShadowedMethods,
  type KnownPath,
  longestParameter,
  pathPartTooLong,
  splitPath,
} from './known-paths.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The known path of a request whose method it refuses. */
    readonly refusedBy: KnownPath | undefined
  }
  interface FastifyContextConfig {
    /** The path of a route that only refuses methods. */
    refusedBy?: KnownPath
  }
}

/** Refuses the methods that a path does not have, and lists those that it has. */
export function refuseOtherMethods(app: FastifyInstance, paths: readonly KnownPath[]): void {
  const findPath = createPathFinder(paths)
  app.decorateRequest('refusedBy', {
    getter() {
      return this.is404 ? findPath(this) : this.routeOptions.config.refusedBy
    },
  })
  // Runs before the body is read, because its content does not matter.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) done(createRefusal(request, reply))
    else done()
  })
  for (const [path, method] of findShadowedMethods(paths)) {
    app.route({
      method,
      url: path.url,
      config: { refusedBy: path },
      onRequest: (request, reply, done) => done(createRefusal(request, reply)),
      handler: async () => {},
    })
  }
}

function createRefusal(request: FastifyRequest, reply: FastifyReply): Fault | undefined {
  const path = request.refusedBy
  if (!path) return undefined
  if (splitPath(request.url).some((part) => part.length > longestParameter)) return pathPartTooLong()
  if (/^websocket$/i.test(request.headers.upgrade ?? '')) {
    reply.header('upgrade', 'HTTP/1.1')
    return new Fault('upgrade_required', `This path does not support WebSockets. Use ${path.allow} over HTTP.`)
  }
  reply.header('allow', path.allow)
  return new Fault('method_not_allowed', `This path does not support ${request.method}; it supports ${path.allow}.`)
}
