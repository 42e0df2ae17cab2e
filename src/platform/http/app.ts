import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { Fault } from '../core/fault.ts'
import { ownValue } from '../core/own-value.ts'
import { startAfterPrevious } from '../net/bodies/pipelined-requests.ts'
import { discardBody } from '../net/bodies/request-body.ts'
import type { Log } from '../process/log.ts'
import { compilersFactory } from './compilers.ts'
import { allowOrigins } from './cors.ts'
import { noteFailureReason } from './failure-reason.ts'
import { longestParameter, pathPartTooLong } from './known-paths.ts'
import { findFramingError } from './request/framing.ts'
import { findHostError } from './request/host.ts'
import { parseJsonBodies } from './request/json-body.ts'
import { respondToClientError, respondToExpectation } from './response/client-error.ts'
import { buildErrorResponse, type Envelope } from './response/envelope.ts'
import type { KeyNeed } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    key?: KeyNeed
    acceptsApiKeyHeader?: (headers: IncomingHttpHeaders) => boolean
    undeclaredBodyFault?: 'invalid' | 'unsupported_media_type'
    convertFault?: (fault: Fault) => Fault
  }
}

/** A request id from a client is accepted if it is harmless in a log. */
const safeId = /^[\w.-]{1,64}$/

function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const requested = headers['x-request-id']
  return typeof requested === 'string' && safeId.test(requested) ? requested : randomUUID()
}

/** The longest time that a client can take for the head of a request and for the whole request, in milliseconds. */
export type RequestTimeouts = { headersMs: number; requestMs: number; checkEveryMs: number }

/**
 * Called for each request before every other hook, synchronously if possible. Throws the `Fault` that answers the
 * request.
 */
type Guard = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined

export type AppOptions = {
  log: Log
  /** The size limit of a body in bytes. A route can set another one. */
  bodyLimit: number
  /** The prefix of every path. */
  prefix: string
  timeouts: RequestTimeouts
  guard?: Guard
  /** Origins whose pages can call this service from a browser; `*` is any. */
  origins?: readonly string[]
  /** Called for each request that matches no route. */
  onUnknown?: (request: FastifyRequest) => void
  /** Answers a request that matches no route with a page; undefined answers with an error. */
  notFoundPage?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | undefined
  /** Returns the message for a failure that is not an internal error. Its cause is logged. */
  explain?: (error: unknown) => Fault | undefined
  /** Error messages for paths that do not exist, by path after the prefix. */
  missingPathHints?: Readonly<Record<string, string>>
  /** Rewrites the path and query of a request to the form that the routes use. */
  rewriteUrl?: (url: string, headers: IncomingHttpHeaders) => string
  /** The form of errors for a request, if it is not the form of this service. */
  envelopeOf?: (request: FastifyRequest) => Envelope | undefined
  /** Changes the error for an invalid path if routes below that path have another error format. */
  convertFault?: (fault: Fault, request: FastifyRequest) => Fault
}

/** Creates the server without routes: one error envelope, request ids, and limits against slow and greedy clients. */
export function createApp({
  log,
  bodyLimit,
  prefix,
  timeouts,
  guard,
  origins = [],
  onUnknown = () => {},
  notFoundPage = () => undefined,
  missingPathHints = {},
  explain = () => undefined,
  envelopeOf = () => undefined,
  rewriteUrl,
  convertFault,
}: AppOptions): FastifyInstance {
  const sendFailure = createFailureSender(log, envelopeOf)
  const app = Fastify({
    ...connectionOptions(timeouts),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    schemaController: { compilersFactory },
    ...(rewriteUrl && { rewriteUrl: ({ url = '/', headers }: IncomingMessage) => rewriteUrl(url, headers) }),
    requestIdHeader: false,
    genReqId: requestId,
    routerOptions: { maxParamLength: longestParameter, ignoreTrailingSlash: true },
    clientErrorHandler: respondToClientError,
    frameworkErrors: (error, request, reply) =>
      respondToPathError(error, request as FastifyRequest, reply as FastifyReply),
  })

  /** Answers a path that cannot be parsed. No hook has run for it. */
  function respondToPathError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    const guarded = guard?.(request, reply) ?? Promise.resolve()
    const response = (failure: unknown) => {
      const fault = convertFault && toFault(failure, request)
      void sendFailure(fault ? convertFault(fault, request) : failure, request, reply)
    }
    const fault = headFault(request, reply)
    startAfterPrevious(request.raw, reply.raw, () => void guarded.then(() => response(fault ?? error), response))
  }
  // Not passed as an option: Fastify would then add two listeners to each response, and create a child logger for each request.
  app.log = log as FastifyBaseLogger
  app.server.on('checkExpectation', respondToExpectation)
  parseJsonBodies(app)
  app.addHook('onRequest', (request, reply, done) => {
    request.log = app.log
    reply.log = app.log
    reply.header('x-request-id', request.id)
    const fault = headFault(request, reply)
    startAfterPrevious(request.raw, reply.raw, () => done(fault))
  })
  if (origins.length > 0) allowOrigins(app, origins)
  if (guard) {
    app.addHook('onRequest', (request, reply, done) => {
      const guarding = guard(request, reply)
      if (guarding) guarding.then(() => done(), done)
      else done()
    })
  }
  app.setErrorHandler((error, request, reply) => {
    const explained = explain(error)
    if (explained) log.warn({ err: error, requestId: request.id, route: request.routeOptions?.url }, explained.message)
    return sendFailure(explained ?? error, request, reply)
  })
  app.setNotFoundHandler((request, reply) => {
    const page = notFoundPage(request, reply)
    if (page) return page
    onUnknown(request)
    const path = pathOnly(request.url)
    const hint = path.startsWith(`${prefix}/`)
      ? ownValue(missingPathHints, path.slice(prefix.length))
      : `Every path begins with ${prefix}/, such as ${prefix}/models.`
    const message = [`There is no ${request.method} ${path}.`, hint].filter(Boolean).join(' ')
    return sendFailure(new Fault('not_found', message), request, reply)
  })
  return app
}

/** The limits of connections. */
function connectionOptions({ headersMs, requestMs, checkEveryMs }: RequestTimeouts) {
  return {
    // Streams and uploads can last for hours.
    connectionTimeout: 0,
    requestTimeout: requestMs,
    // Longer than load balancers usually reuse an idle connection (60 s), so that they do not send a request on a closed one.
    keepAliveTimeout: 72_000,
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkEveryMs,
      maxHeaderSize: 32 * 1024,
      // Otherwise Node refuses a request that has no host, with an empty response.
      requireHostHeader: false,
    },
    // `shutdown.ts` closes the other connections. Until then, requests on them get a response.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  } as const
}

/** Returns the fault of a request whose end or host is ambiguous. */
function headFault({ raw, originalUrl }: FastifyRequest, reply: FastifyReply): Fault | undefined {
  const framing = findFramingError(raw)
  if (framing !== undefined) reply.header('connection', 'close')
  const fault = framing ?? findHostError(raw, originalUrl)
  return fault === undefined ? undefined : new Fault('invalid', fault)
}

const contentHeaders = /^(content-.*|etag|last-modified|accept-ranges)$/

function createFailureSender(log: Log, envelopeOf: (request: FastifyRequest) => Envelope | undefined) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const originalFault = toFault(error, request)
    const fault = originalFault && (request.routeOptions?.config?.convertFault?.(originalFault) ?? originalFault)
    if (!fault) log.error({ err: error, requestId: request.id, route: request.routeOptions?.url }, 'request failed')
    const { status, headers, body } = buildErrorResponse(fault, request.id, envelopeOf(request))
    if (status >= 500) noteFailureReason(reply.raw, fault?.message ?? 'internal error')
    // A download can fail before its first byte. Its headers do not apply to the error.
    for (const name of Object.keys(reply.getHeaders())) if (contentHeaders.test(name)) reply.removeHeader(name)
    discardBody(request.raw)
    return reply.code(status).headers(headers).send(body)
  }
}

/** Translates errors of the framework. Others are internal errors, whose message is not sent to clients. */
function toFault(error: unknown, request: FastifyRequest): Fault | undefined {
  if (error instanceof Fault) return error
  const { code, statusCode } = error as Partial<FastifyError>
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Fault(
        'payload_too_large',
        `The body exceeds ${request.routeOptions.bodyLimit} bytes, the limit of this path.`,
      )
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Fault(
        request.routeOptions?.config?.undeclaredBodyFault ?? 'unsupported_media_type',
        'The body must be declared as "content-type: application/json".',
      )
    case 'FST_ERR_BAD_URL':
      return new Fault('invalid', 'The path is not validly percent-encoded.')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return pathPartTooLong()
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Fault('invalid', 'The body is not as long as its content-length says.')
    default:
      return statusCode === 400 ? new Fault('invalid', 'The request could not be read.') : undefined
  }
}

/** Query strings can contain secrets that must not appear in logs and messages. */
export function pathOnly(url: string): string {
  const path = url.split('?', 1)[0] ?? ''
  return path.length > 200 ? `${path.slice(0, 200)}…` : path
}
