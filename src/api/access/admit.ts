import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '#identity/accounts/caller.ts'
import type { KeyCache } from '#identity/accounts/keys/key-cache.ts'
import type { RequestedWorkspace, ResolvedSession } from '#identity/sign-in/session.ts'
import type { Sessions } from '#identity/sign-in/sessions.ts'
import type { Tokens } from '#identity/tokens/tokens.ts'
import type { Config } from '#platform/config/settings.ts'
import { Fault } from '#platform/core/fault.ts'
import { nonEmptyText } from '#platform/core/non-empty-text.ts'
import type { ConnectionOf } from '#platform/http/connection.ts'
import type { Route } from '../routes/route.ts'
import { authorize, authorizeFromCache, readAuthorization } from './authorize.ts'
import { type GuardedRoute, rolesOf } from './roles.ts'
import { requireOwnPage } from './same-origin.ts'
import { readSessionToken } from './session-cookie.ts'

type AdmitDeps = {
  keys: Pick<KeyCache, 'find' | 'findCached'>
  tokens: Pick<Tokens, 'find'> | undefined
  sessions: Pick<Sessions, 'find' | 'explainMissing'>
  connectionOf: ConnectionOf
  config: Pick<Config, 'public_models'>
}

type AccessRules = Pick<Route, 'wrongKeyFault' | 'canBePublic' | 'acceptsApiKeyHeader' | 'workspaceParam'> &
  GuardedRoute
type RequestParts = Pick<FastifyRequest, 'headers' | 'raw' | 'method' | 'params' | 'query'>

/** The absent caller of a public route, which does not read the caller. */
const noCaller = undefined as never

/**
 * Finds the caller of a request by its key, if the key is cached. @returns undefined if it is not, or without a key.
 * @throws Fault `unauthenticated` or `forbidden` if the key cannot be used here.
 */
export function admitFromCache(
  deps: Pick<AdmitDeps, 'keys'>,
  route: AccessRules,
  { headers }: Pick<RequestParts, 'headers'>,
): Caller | undefined {
  return authorizeFromCache(deps, route, readAuthorization(headers, route.acceptsApiKeyHeader?.(headers) === true))
}

/**
 * Finds the caller of a request: the holder of its key or, without a key, of its session cookie.
 * @throws Fault `unauthenticated` or `forbidden`.
 */
export async function admit(
  deps: AdmitDeps,
  route: AccessRules,
  request: RequestParts,
  reply: Pick<FastifyReply, 'header'>,
): Promise<Caller> {
  const authorization = readAuthorization(request.headers, route.acceptsApiKeyHeader?.(request.headers) === true)
  if (authorization !== undefined) return authorize(deps, route, authorization)
  const isPublic = route.canBePublic === true && deps.config.public_models
  const { cookie } = request.headers
  if (cookie !== undefined) {
    const { origin } = deps.connectionOf(request.raw)
    const token = readSessionToken(cookie, origin)
    if (token !== undefined && !isPublic) return admitSession(deps, route, request, reply, { token, origin })
  }
  return isPublic ? noCaller : authorize(deps, route, undefined)
}

async function admitSession(
  { sessions }: Pick<AdmitDeps, 'sessions'>,
  route: AccessRules,
  request: RequestParts,
  reply: Pick<FastifyReply, 'header'>,
  { token, origin }: { token: string; origin: string },
): Promise<Caller> {
  // Browsers and proxies must not cache a response that only a cookie authorized.
  reply.header('cache-control', 'no-store')
  const { headers, method } = request
  const session = await sessions.find(token, readRequestedWorkspace(route, request))
  if (!session) throw await sessions.explainMissing(token)
  if (method !== 'GET' && method !== 'HEAD') requireOwnPage(headers, origin, token)
  return callerFor(route, session)
}

/** The workspaces that a request of a session names. */
function readRequestedWorkspace(
  { workspaceParam }: Pick<AccessRules, 'workspaceParam'>,
  { headers, params, query }: Pick<RequestParts, 'headers' | 'params' | 'query'>,
): RequestedWorkspace {
  const inPath = workspaceParam === undefined ? undefined : (params as Record<string, string>)[workspaceParam]
  const inQuery = (query as { workspace_id?: unknown } | undefined)?.workspace_id
  return { inHeader: workspaceInHeader(headers), inPathOrQuery: inPath ?? nonEmptyText(inQuery) }
}

export const workspaceInHeader = (headers: IncomingHttpHeaders) => nonEmptyText(headers['x-workspace'])

/** Returns the caller that a session acts as, which depends on the kind of route. */
function callerFor(route: AccessRules, session: ResolvedSession): Caller {
  const { key, scope = 'workspace' } = route
  const { role, managementCaller } = session[scope]
  const { usageCaller } = session
  if (!rolesOf(route).includes(role)) throw new Fault('forbidden', `The role "${role}" does not permit this operation.`)
  if (key === 'management') {
    if (managementCaller) return managementCaller
    throw new Fault(
      'forbidden',
      'This session was started with an API key and has only its permissions. Sign in with a link or a management key.',
    )
  }
  const caller = key === 'api' ? usageCaller : (managementCaller ?? usageCaller)
  if (caller) return caller
  throw new Fault('forbidden', 'The key named "Console", by which this session uses models and interns, is disabled.')
}
