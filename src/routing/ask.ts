import { Fault } from '#lib/fault.ts'
import { once } from '#lib/once.ts'
import type { Ask } from './attempt.ts'
import type { Answering } from './call.ts'
import type { RoutingDeps } from './deps.ts'
import type { Tried } from './journal.ts'
import { mostOf } from './most.ts'
import type { Target } from './plan.ts'
import { wireOf } from './providers/protocols.ts'
import type { Body, ClientWire } from './wire.ts'

/** The request as one endpoint gets it. */
export function askOf(
  deps: RoutingDeps,
  answering: Answering,
  target: Target,
): { ask: Ask; passThrough: boolean; tried: Tried } {
  const { endpoint } = target
  const { chat, body: given, client } = answering
  const provider = deps.catalogue.current().findProvider(endpoint.provider)
  const access = provider && answering.accesses.find(provider, endpoint)
  const wire = wireOf(endpoint, provider)
  if (!access || !wire)
    throw new Fault('unavailable', `The provider ${endpoint.provider} was taken out of the catalogue a moment ago.`)
  const stream = answering.chat.stream === true
  const wireTarget = { endpoint, credential: access.secret, stream }
  const encoded =
    wire.protocol === client.protocol ? wire.passThrough?.(bodyForUpstream(given, client), wireTarget) : undefined
  const passedHeaders = encoded && client.headersFor?.(answering.headers, given, answering.limited)
  const { path, headers, body } = encoded ?? wire.encode(answering.chat, wireTarget)
  const { traceParent: traceparent } = answering.journal
  const request = {
    ...placeOf(wire.origin ?? access.baseUrl, path),
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
      ...(traceparent !== undefined && { traceparent }),
      ...headers,
      ...passedHeaders,
    },
    body,
  }
  return {
    ask: {
      answerId: answering.journal.id,
      target,
      wire,
      request,
      credential: access.secret,
      stream,
      deadlines: deps.deadlines,
    },
    tried: {
      target,
      byok: access.byok,
      most: once(() => mostOf({ chat, body: given, protocol: client.protocol }, target, wire)),
    },
    // Where both sides speak one protocol, the bytes of an answer need no translation.
    passThrough: encoded !== undefined && !client.rewrites,
  }
}

/** Without what only this protocol has for this service; what every protocol has, wires leave out. */
export function bodyForUpstream(body: Body, { ownFields }: ClientWire): Body {
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
