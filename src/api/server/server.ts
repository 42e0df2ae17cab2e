import type { FastifyInstance, FastifyRequest } from 'fastify'
import { chatClientProtocols } from '#gateway/clients/client-protocols.ts'
import { addChatReason } from '#interns/contract/chat-fault.ts'
import { rootPath, withoutRoot } from '#platform/config/public-url.ts'
import { toDatabaseFault } from '#platform/db/maintenance/failures.ts'
import { type AppOptions, createApp, type RequestTimeouts } from '#platform/http/app.ts'
import { keepNewConnections } from '#platform/http/fresh-connections.ts'
import { mountRoutes } from '#platform/http/mount.ts'
import { createHostReader } from '#platform/http/request/forwarded-host.ts'
import { createRequestTracker, logRequest, trackRequests } from '#platform/http/response/request-tracking.ts'
import { createUnknownRouteLog } from '#platform/http/unknown-routes.ts'
import { closeUnreadResponses } from '#platform/http/unread-responses.ts'
import { type Address, listenError, serverOrigin } from '../access/address.ts'
import { admit, admitFromCache } from '../access/admit.ts'
import type { ApiDeps } from '../access/deps.ts'
import { guardInterns, isInternChat } from '../access/interns-access.ts'
import { apiPrefix, toApiUrl } from '../access/prefix.ts'
import { mountConsole } from '../console/mount.ts'
import { dialects } from '../models/dialect.ts'
import { routes } from '../routes/routes.ts'
import { absentOperations } from './absent-operations.ts'
import { mountDescription } from './mount-description.ts'

/**
 * Chooses the form of errors. A request below the path of a protocol gets every error in the form of this protocol. If the headers
 * show the protocol, the same applies to other paths, except for operations that only have the form of this service.
 */
function envelopeFor({ url, headers, routeOptions }: Pick<FastifyRequest, 'url' | 'headers' | 'routeOptions'>) {
  const path = url.split('?', 1)[0] ?? ''
  // Undefined for a path that does not exist or cannot be parsed.
  const config = routeOptions?.config
  const hasOwnForm = config?.key !== undefined && config.acceptsApiKeyHeader?.(headers) !== true
  const client =
    chatClientProtocols.find(({ operation }) => `${path}/`.startsWith(`${apiPrefix}${operation.path}/`)) ??
    (hasOwnForm ? undefined : chatClientProtocols.find(({ isUsedBy }) => isUsedBy?.(headers)))
  return client?.envelope
}

/** Values that tests change. */
export type ApiOptions = {
  /** Called before the routes are mounted. */
  observe?: (app: FastifyInstance) => void
  timeouts?: RequestTimeouts
  uploadPauseMs?: number
  /** After this time without progress, a response that its client does not read is abandoned. */
  unreadResponseMs?: number
}

function timeoutsFor({ request_timeout_ms: requestMs }: ApiDeps['config']): RequestTimeouts {
  return { headersMs: Math.min(15_000, requestMs), requestMs, checkEveryMs: Math.min(5_000, requestMs) }
}

/** Creates the server of the public API, which is not listening yet. */
export async function createApi(
  deps: ApiDeps,
  { observe, timeouts = timeoutsFor(deps.config), uploadPauseMs = 30_000, unreadResponseMs = 120_000 }: ApiOptions = {},
): Promise<FastifyInstance> {
  const root = rootPath(deps.config)
  const app = createApp({
    ...appOptions(deps, root),
    timeouts,
    notFoundPage: (request, reply) => notFoundPage?.(request, reply),
  })
  keepNewConnections(app.server)
  closeUnreadResponses(app.server, unreadResponseMs)
  observeRequests(app, deps)
  observe?.(app)
  mountRoutes(app, routes, {
    deps,
    prefix: apiPrefix,
    admitFromCache: (route, request) => admitFromCache(deps, route, request),
    admit: (route, request, reply) => admit(deps, route, request, reply),
    hostOf: createHostReader({ addresses: deps.config.trusted_proxies, header: deps.config.proxy_host_header }),
    uploadPace: { bytesPerSecond: deps.config.min_upload_bytes_per_second, pauseMs: uploadPauseMs },
    wrap: deps.wrapHandler,
  })
  mountDescription(app)
  const notFoundPage = deps.console && mountConsole(app, deps.console, deps.log, root)
  await app.ready()
  return app
}

/** The behaviour of the server that does not depend on its routes. */
function appOptions(deps: ApiDeps, root: string): Omit<AppOptions, 'timeouts' | 'notFoundPage'> {
  const { config, log, now } = deps
  return {
    log,
    bodyLimit: config.max_body_bytes,
    prefix: apiPrefix,
    // Checks the caller as for a read. A route that changes something refuses viewers itself.
    guard: (request, reply) =>
      guardInterns((internRequest) => admit(deps, { key: 'api', method: 'get' }, internRequest, reply), request),
    origins: config.cors_origins,
    missingPathHints: absentOperations,
    onUnknown: createUnknownRouteLog(log, now),
    explain: toDatabaseFault,
    envelopeOf: (request) => envelopeFor(request) ?? dialects[config.dialect].envelope,
    rewriteUrl: (url, headers) => toApiUrl(withoutRoot(root, url), headers),
    convertFault: (fault, request) => (isInternChat(request) ? addChatReason(fault) : fault),
  }
}

/** Counts requests in flight, and reports finished ones to metrics and log. */
function observeRequests(app: FastifyInstance, { metrics, log }: Pick<ApiDeps, 'metrics' | 'log'>): void {
  const requestsInFlight = createRequestTracker((request) => {
    metrics.observeRequest(request)
    logRequest(log, request)
  })
  trackRequests(app, requestsInFlight)
  metrics.observeRequestsInFlight(requestsInFlight.count)
}

/** Starts listening. @returns the base URL of the API. @throws UserFacingError if the address cannot be bound. */
export async function listen(app: FastifyInstance, address: Address): Promise<string> {
  try {
    await app.listen({ host: address.host, port: address.port, listenTextResolver: () => 'accepting connections' })
  } catch (error) {
    throw listenError(error as NodeJS.ErrnoException, address, 'PORT')
  }
  return serverOrigin(app.server, address) + apiPrefix
}
