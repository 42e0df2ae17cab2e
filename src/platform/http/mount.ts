import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, RouteHandlerMethod } from 'fastify'
import type { z } from 'zod'
import { type EntityKind, entityTag, type Precondition } from '../core/entity-tag.ts'
import type { BodyPace } from '../net/bodies/paced-body.ts'
import { validatorKeepingBody } from './compilers.ts'
import { noteFailureReason } from './failure-reason.ts'
import { IncomingCall } from './incoming-call.ts'
import { listKnownPaths, routerPath } from './known-paths.ts'
import { refuseOtherMethods } from './refuse-methods.ts'
import { parseForms } from './request/form-body.ts'
import type { HostOf } from './request/forwarded-host.ts'
import { refuseNul } from './request/nul.ts'
import { passBodiesUnread } from './request/upload.ts'
import { compressResponse } from './response/compressed-response.ts'
import { type AnyRoute, HttpResponse, type Method } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller. Only the mounted routes know its type. */
    caller: unknown
  }
}

/** Runs `handle` for an authorized and validated request. */
export type RequestWrapper = (
  route: Pick<AnyRoute<never, never>, 'method' | 'path' | 'tag' | 'key'>,
  request: FastifyRequest,
  reply: FastifyReply,
  handle: () => unknown,
) => unknown

type MountOptions<Caller, Deps> = {
  deps: Deps
  prefix: string
  /**
   * Finds the caller if nothing must be read for it. Each `await` costs a request half a microsecond.
   * @throws Fault `unauthenticated` or `forbidden`.
   */
  admitFromCache?: (route: AnyRoute<Caller, Deps>, request: FastifyRequest) => Caller | undefined
  /** Finds the caller. @throws Fault `unauthenticated` or `forbidden`. */
  admit: (route: AnyRoute<Caller, Deps>, request: FastifyRequest, reply: FastifyReply) => Promise<Caller>
  /** Returns the host that the request was sent to. */
  hostOf: HostOf
  /** The lowest rate of uploads. Other bodies have the time limit of a request. */
  uploadPace: BodyPace
  /** Wraps each handler. */
  wrap?: RequestWrapper | undefined
}

/** Mounts a table of routes. Each path refuses the methods that it does not have. */
export function mountRoutes<Caller, Deps>(
  app: FastifyInstance,
  routes: AnyRoute<Caller, Deps>[],
  options: MountOptions<Caller, Deps>,
): void {
  app.decorateRequest('caller', undefined)
  for (const route of routes) mountRoute(app, route, options)
  refuseOtherMethods(app, listKnownPaths(routes, options.prefix))
}

function mountRoute<Caller, Deps>(
  app: FastifyInstance,
  route: AnyRoute<Caller, Deps>,
  options: MountOptions<Caller, Deps>,
): void {
  const { params, query, body } = (route.request ?? {}) as Record<'params' | 'query' | 'body', z.ZodType | undefined>
  // Routes with other bodies than JSON are in a scope with separate body parsers.
  const inScope = (addRoute: (scope: FastifyInstance) => void) => {
    if (!route.uploads && !route.takesForm) return addRoute(app)
    void app.register(async (scope) => {
      if (route.uploads) passBodiesUnread(scope)
      else parseForms(scope)
      addRoute(scope)
    })
  }
  inScope((scope) =>
    scope.route({
      method: route.method.toUpperCase() as Uppercase<Method>,
      url: options.prefix + routerPath(route.path),
      ...(route.bodyLimit && { bodyLimit: route.bodyLimit }),
      // Otherwise the client would get the head of a stream without content or end.
      ...((route.events || route.downloads) && { exposeHeadRoute: false }),
      ...(route.uploads && { bodyLimit: Number.MAX_SAFE_INTEGER }),
      config: {
        key: route.key,
        ...(route.acceptsApiKeyHeader && { acceptsApiKeyHeader: route.acceptsApiKeyHeader }),
        ...(route.undeclaredBodyFault && { undeclaredBodyFault: route.undeclaredBodyFault }),
        ...(route.convertFault && { convertFault: route.convertFault }),
        ...(route.keepsOriginalBody && { keepsOriginalBody: true }),
        ...(route.exactFields && { exactFields: route.exactFields }),
        ...(route.maxBodyParts && { maxBodyParts: route.maxBodyParts }),
      },
      ...(route.keepsOriginalBody && { validatorCompiler: validatorKeepingBody(route.isCertainlyValid) }),
      schema: {
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(body && { body }),
      } as never,
      ...(route.key !== 'none' && { onRequest: createAdmitHook(route, options) }),
      handler: createHandler(route, options),
    }),
  )
}

/** Creates the function that handles an admitted request with a validated body, and sends the response. */
function createHandler<Caller, Deps>(
  route: AnyRoute<Caller, Deps>,
  { deps, hostOf, wrap, uploadPace }: MountOptions<Caller, Deps>,
): RouteHandlerMethod {
  return async (request, reply) => {
    refuseNul('path', request.params)
    refuseNul('query', request.query)
    // Completions and prompts pass NUL on. The schemas of other routes with an API key refuse NUL themselves.
    if (route.key !== 'api') refuseNul('body', request.body)
    if (route.ifMatch) setPrecondition(request, route.ifMatch, route.canCreate === true)
    const call = new IncomingCall<Caller>(request, reply, { host: hostOf(request.raw), uploadPace })
    try {
      const handle = () => route.handler(call, deps)
      const result = await (wrap ? wrap(route, request, reply, handle) : handle())
      if (reply.sent) return reply
      if (route.etag) reply.header('etag', entityTag(route.etag, findData(result)))
      const isRead = route.method === 'get' || route.isRead === true
      const compressed = isRead ? await compressResponse(request.headers['accept-encoding'], result) : undefined
      return sendResult(reply, route.status ?? 200, compressed ?? result)
    } catch (error) {
      if (!reply.sent) throw error
      // The response is incomplete, so the connection is broken instead of ended.
      request.log.error({ err: error, requestId: request.id }, 'a stream broke')
      reply.raw.destroy()
      return reply
    }
  }
}

/** Adds the headers of a conditional change to the caller, so that they reach the transaction that makes the change. */
function setPrecondition(request: FastifyRequest, entity: EntityKind, canCreate: boolean): void {
  const ifMatch = request.headers['if-match']
  const isNew = canCreate && request.headers['if-none-match']?.trim() === '*'
  if (ifMatch === undefined && !isNew) return
  request.caller = { ...(request.caller as object), precondition: { entity, ifMatch, isNew } satisfies Precondition }
}

const findData = (response: unknown): object => (response as { data?: object }).data ?? (response as object)

function createAdmitHook<Caller, Deps>(
  route: AnyRoute<Caller, Deps>,
  { admit, admitFromCache }: MountOptions<Caller, Deps>,
): onRequestHookHandler {
  const admitAsync = async (request: FastifyRequest, reply: FastifyReply) => {
    request.caller = await admit(route, request, reply)
  }
  return (request, reply, done) => {
    const caller = admitFromCache?.(route, request)
    if (caller === undefined) return admitAsync(request, reply)
    request.caller = caller
    return done()
  }
}

/** Sends a result. Text and bytes are JSON. */
function sendResult(reply: FastifyReply, status: number, result: unknown) {
  if (result instanceof HttpResponse) return sendResponse(reply, result)
  if (isSerialized(result)) reply.header('content-type', 'application/json; charset=utf-8')
  return reply.code(status).send(result)
}

const isSerialized = (result: unknown): result is string | Buffer =>
  typeof result === 'string' || Buffer.isBuffer(result)

/** Sends a response with its own status and headers. */
export function sendResponse(reply: FastifyReply, result: HttpResponse) {
  // Authorization may have set `no-store` already. It takes precedence.
  const hasNoStore = reply.getHeader('cache-control') === 'no-store'
  if (result.reason !== undefined) noteFailureReason(reply.raw, result.reason)
  reply.code(result.status).headers(result.headers)
  if (hasNoStore) reply.header('cache-control', 'no-store')
  return reply.send(result.body ?? undefined)
}
