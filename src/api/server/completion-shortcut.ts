import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { clients } from '#gateway/clients/clients.ts'
import type { Body, ClientProtocol } from '#gateway/protocol/protocol.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { KeyCache } from '#identity/accounts/keys/key-cache.ts'
import { databaseFault } from '#platform/db/maintenance/failures.ts'
import { requestId } from '#platform/http/app.ts'
import { parseWith } from '#platform/http/compilers.ts'
import { invalidRequest } from '#platform/http/description/issues.ts'
import { DirectCall, type DirectRoute } from '#platform/http/direct-call.ts'
import { checkAnswer } from '#platform/http/mount.ts'
import type { JsonReader } from '#platform/http/request/json-body.ts'
import type { RequestsUnderWay } from '#platform/http/response/finished.ts'
import type { Shortcut } from '#platform/http/shortcut.ts'
import { authorizationIn, isOfNonMember, secretIn } from '../access/authorize.ts'
import type { ApiDeps } from '../access/deps.ts'
import { prefix, underPrefix } from '../access/prefix.ts'
import { dialects } from '../models/dialect.ts'
import { startCompletion } from '../routes/completions/call.ts'
import { completionRoutes } from '../routes/completions/client-routes.ts'

type ShortcutDeps = {
  deps: ApiDeps & { keys: Pick<KeyCache, 'known'> }
  underWay: RequestsUnderWay
  hostOf: (request: IncomingMessage) => string | undefined
  readJson: JsonReader
  checkResponses: boolean
}

type CompletionRoute = DirectRoute<Caller, Body>

/**
 * Answers completions with a cached key and a plainly declared body without the framework, which costs a fifth of them.
 * Every other request goes through the framework and gets the same answer.
 */
export function completionShortcut(shortcutDeps: ShortcutDeps): Shortcut {
  const { deps, underWay, hostOf } = shortcutDeps
  const routes = new Map(
    clients.map((client) => {
      const { operation, acceptsApiKeyHeader = false } = client
      return [prefix + operation.path, { route: routeOf(client, shortcutDeps), acceptsApiKeyHeader }]
    }),
  )
  const { cors_origins: origins, max_body_bytes: mostBytes } = deps.config
  const common = origins.length > 0 && !origins.includes('*') ? ['vary', 'origin'] : []
  return (request, response) => {
    if (request.method !== 'POST') return false
    const found = routes.get(underPrefix(request.url!))
    if (!found || !isPlain(request.headers, mostBytes)) return false
    const { route, acceptsApiKeyHeader } = found
    const secret = secretIn(authorizationIn(request.headers, acceptsApiKeyHeader))
    const caller = secret ? deps.keys.known(secret) : undefined
    // The regular route reports why a request is refused.
    if (!caller || caller.keyKind === 'management' || caller.role === 'viewer' || isOfNonMember(caller)) return false
    const id = requestId(request)
    underWay.began(id, 'POST', () => route.path, response)
    const head = ['x-request-id', id, ...common]
    new DirectCall(route, request, response, { caller, requestId: id, host: hostOf(request), head })
    return true
  }
}

const plainTypes: ReadonlySet<string | undefined> = new Set(['application/json', 'application/json; charset=utf-8'])

/** Whether the body is JSON with an allowed Content-Length, and the request does not come from a browser page. */
function isPlain(headers: IncomingHttpHeaders, mostBytes: number): boolean {
  if (headers.origin !== undefined || !plainTypes.has(headers['content-type'])) return false
  if (headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined) return false
  const length = Number(headers['content-length'])
  return length > 0 && length <= mostBytes
}

function routeOf(client: ClientProtocol, { deps, readJson, checkResponses }: ShortcutDeps): CompletionRoute {
  const { operation, envelope = dialects[deps.config.dialect].envelope, isSurelyValid } = client
  const route = completionRoutes[operation.id]!
  return {
    readJson,
    validate(body) {
      if (isSurelyValid?.(body)) return body
      const parsed = parseWith(operation.request, body)
      if (!parsed.success) throw invalidRequest(parsed.error.issues)
      // Not the copy that the schema makes: it says the same, and its bytes are not at hand.
      return body as Body
    },
    handle: (call) => startCompletion(deps.routing, call, client),
    check: checkResponses ? (answer) => checkAnswer(route, answer) : () => {},
    explain: databaseFault,
    envelope,
    path: prefix + operation.path,
    log: deps.log,
  }
}
