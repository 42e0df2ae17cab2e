import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Response headers that web pages can read. */
const exposedHeaders = 'etag, retry-after, x-fields-left-out, x-generation-id, x-request-id, x-should-retry'

/** The time for which a browser can cache the response to a preflight request, in seconds. */
const maxAge = '600'

/**
 * Allows pages of these origins to call this service from browsers; `*` is any. Browsers do not send keys on their own,
 * so a page cannot use the key of another page.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const allowsAny = origins.includes('*')
  const listedOrigins = new Set(origins)
  const isAllowed = (origin: string | undefined) =>
    origin !== undefined && (allowsAny || listedOrigins.has(origin.toLowerCase()))
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (!allowsAny) reply.header('vary', 'origin')
    if (isAllowed(origin)) {
      reply.header('access-control-allow-origin', allowsAny ? '*' : origin)
      reply.header('access-control-expose-headers', exposedHeaders)
    }
    const path = request.method === 'OPTIONS' ? request.refusedBy : undefined
    // Runs before authentication, because browsers send no key with a preflight request.
    if (path) respondToOptions(request, reply, path.allow, isAllowed(origin))
    else done()
  })
  if (allowsAny) return
  // The response's own `vary` header must still contain `origin`.
  app.addHook('onSend', (_request, reply, payload, done) => {
    const vary = String(reply.getHeader('vary') ?? '')
    if (!vary.includes('origin')) reply.header('vary', vary === '' ? 'origin' : `${vary}, origin`)
    done(null, payload)
  })
}

function respondToOptions({ headers }: FastifyRequest, reply: FastifyReply, allow: string, isAllowed: boolean): void {
  reply.code(204).header('allow', `${allow}, OPTIONS`)
  if (isAllowed && headers['access-control-request-method'] !== undefined) {
    reply.header('access-control-allow-methods', allow)
    // `*` would not include `authorization`.
    reply.header('access-control-allow-headers', headers['access-control-request-headers'] ?? 'authorization')
    reply.header('access-control-max-age', maxAge)
  }
  reply.send()
}
