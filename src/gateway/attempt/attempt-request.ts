import { answerLimitOf } from '#chat/answer-limit.ts'
import { Fault } from '#platform/core/fault.ts'
import { LazyUsageBound } from '../admission/bounds/lazy-usage-bound.ts'
import type { CompletionContext } from '../completion-call.ts'
import type { RoutingDeps } from '../deps.ts'
import type { Target } from '../plan/plan.ts'
import type { Body, ClientProtocol, EncodedRequest, ProtocolTarget, ProviderProtocol } from '../protocol/protocol.ts'
import { restoringNames } from '../protocol/repairs/aliases.ts'
import { providerProtocolOf } from '../providers/protocols.ts'
import type { TriedEndpoint } from '../record/tried-endpoint.ts'
import type { CredentialOwner } from './failure.ts'
import type { Deadlines } from './upstream/deadlines.ts'
import type { UpstreamRequest } from './upstream/upstream.ts'

/** One request to one endpoint, ready to be sent. */
export type AttemptRequest = {
  /** The id of the answer in this service. */
  answerId: string
  /** The most tokens that the answer may have. */
  answerLimit: number | undefined
  target: Target
  providerProtocol: ProviderProtocol
  /** Undefined once it was sent: it may be long, and an answer take minutes. */
  request: UpstreamRequest | undefined
  credential: string | undefined
  credentialOwner: CredentialOwner
  stream: boolean
  deadlines: Deadlines
  /** How long a stream is held back for its first content. */
  contentHoldMs?: number
}

/** The request as one endpoint gets it. */
export function attemptRequestOf(
  deps: RoutingDeps,
  context: CompletionContext,
  target: Target,
): { ask: AttemptRequest; passThrough: boolean; dropped: readonly string[]; tried: TriedEndpoint } {
  const { endpoint } = target
  const { chat, body: given, client } = context
  const provider = deps.catalogue.current().findProvider(endpoint.provider)
  const access = provider && context.accesses.find(provider, endpoint)
  const providerProtocol = providerProtocolOf(endpoint, provider)
  if (!access || !providerProtocol)
    throw new Fault('unavailable', `The provider ${endpoint.provider} was taken out of the catalogue a moment ago.`)
  const isStreamed = context.chat.stream === true
  const stream = isStreamed || endpoint.compatibility?.wholeAnswers === false
  const protocolTarget = { endpoint, credential: access.secret, stream }
  const encoded =
    providerProtocol.protocol === client.protocol ? passedThrough(providerProtocol, context, protocolTarget) : undefined
  const passedHeaders = encoded && client.headersFor?.(context.headers, given, context.limited)
  const {
    path,
    headers,
    body,
    dropped = [],
    aliases,
  } = encoded ?? providerProtocol.encode(context.chat, protocolTarget)
  const hasAliases = aliases !== undefined && aliases.size > 0
  const { traceParent: traceparent } = context.requestRecord
  const request = {
    ...placeOf(providerProtocol.origin ?? access.baseUrl, path),
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
      ...(traceparent !== undefined && { traceparent }),
      ...headers,
      ...passedHeaders,
    },
    body,
    streams: isStreamed,
  }
  return {
    dropped,
    ask: {
      answerId: context.requestRecord.id,
      answerLimit: answerLimitOf(chat) ?? endpoint.maxCompletionTokens ?? undefined,
      target,
      providerProtocol: hasAliases ? restoringNames(providerProtocol, aliases) : providerProtocol,
      request,
      credential: access.secret,
      credentialOwner: access.byok ? 'workspace' : 'service',
      stream: isStreamed,
      deadlines: deps.deadlines,
      contentHoldMs: deps.contentHoldMs,
    },
    tried: {
      target,
      byok: access.byok,
      bound: new LazyUsageBound({ chat, body: given, protocol: client.protocol }, target, providerProtocol),
    },
    // If both sides speak one protocol, the bytes of the answer need no translation.
    passThrough: encoded !== undefined && !client.rewrites && !hasAliases && stream === isStreamed,
  }
}

function passedThrough(
  { passThrough }: ProviderProtocol,
  { body: given, client, source }: CompletionContext,
  target: ProtocolTarget,
): EncodedRequest | undefined {
  return passThrough?.(bodyForUpstream(given, client), target, source?.value === given ? source : undefined)
}

/** Without what only this protocol has for this service; what every protocol has, wires leave out. */
export function bodyForUpstream(body: Body, { ownFields }: ClientProtocol): Body {
  if (!ownFields) return body
  const sent: Body = {}
  for (const name in body) if (!ownFields.has(name)) sent[name] = body[name]
  return sent
}

const place = /^([a-z]+:\/\/[^/]+)(\/.*?)?\/?$/i

export function placeOf(baseUrl: string | undefined, path: string): { origin: string; path: string } {
  const [, origin, base = ''] = place.exec(baseUrl ?? '') ?? []
  if (!origin) throw new Fault('unavailable', 'The provider has no base URL in the catalogue.')
  return { origin, path: base + path }
}
