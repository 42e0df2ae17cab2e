import { Fault } from '#platform/core/fault.ts'
import type { Target } from '../plan/plan.ts'
import type { RequestBodies } from '../pricing/extra-usage-bound.ts'
import type { ClientProtocol } from '../protocol/client-protocol.ts'
import type { EncodedRequest, ProtocolTarget, ProviderProtocol } from '../protocol/provider-protocol.ts'
import type { Body } from '../protocol/request-body.ts'
import { findProviderProtocol } from '../providers/protocols.ts'
import type { Catalogue, ProviderLookup } from '../request/catalogue-lookup.ts'
import type { Access } from '../request/credentials.ts'
import type { AdmittedRequest } from './admitted-request.ts'

/** A request in the protocol of its endpoint. Its body is not written yet. */
export type TargetEncoding = {
  target: Target
  access: Access
  providerProtocol: ProviderProtocol
  encoded: EncodedRequest
  /** Whether the body is that of the client, and not a translation. */
  passesBody: boolean
  /** Whether the upstream streams its response. Some endpoints can only stream, even if the client requests a whole response. */
  upstreamStreams: boolean
}

/**
 * Encodes a request in the protocol of one endpoint. If the client uses the same protocol, its own body is passed.
 * @throws Fault `unavailable` if the catalogue no longer has its provider.
 */
export function encodeForTarget(
  deps: { catalogue: Catalogue<ProviderLookup> },
  admitted: AdmittedRequest,
  target: Target,
  { chat, body }: RequestBodies,
): TargetEncoding {
  const { endpoint } = target
  const { client } = admitted
  const provider = deps.catalogue.current().findProvider(endpoint.provider)
  const access = provider && admitted.access.find(provider, endpoint)
  const providerProtocol = findProviderProtocol(endpoint, provider, client.task)
  if (!access || !providerProtocol)
    throw new Fault('unavailable', `The provider ${endpoint.provider} was just removed from the catalogue.`)
  // Responses to other tasks than chats are never streamed.
  const streamsOnly = client.task === undefined && endpoint.compatibility?.wholeAnswers === false
  const upstreamStreams = chat.stream === true || streamsOnly
  const protocolTarget = { endpoint, credential: access.secret, stream: upstreamStreams }
  const passThroughRequest =
    providerProtocol.protocol === client.protocol
      ? encodePassThrough(providerProtocol, admitted, body, protocolTarget)
      : undefined
  const encoded = passThroughRequest ?? providerProtocol.encode(chat, protocolTarget)
  const passesBody = passThroughRequest !== undefined
  return { target, access, providerProtocol, encoded, passesBody, upstreamStreams }
}

/** The client's own body for an upstream of the same protocol. @returns undefined if the protocol always translates. */
function encodePassThrough(
  { passThrough }: ProviderProtocol,
  { call: { source }, client }: AdmittedRequest,
  body: Body,
  target: ProtocolTarget,
): EncodedRequest | undefined {
  // The received text can be sent only if nothing has changed the body.
  return passThrough?.(bodyForUpstream(body, client), target, source?.value === body ? source : undefined)
}

/** The body without the fields that only this service reads. */
export function bodyForUpstream(body: Body, { serviceOnlyFields }: ClientProtocol): Body {
  if (!serviceOnlyFields) return body
  const upstreamBody: Body = {}
  for (const name in body) if (!serviceOnlyFields.has(name)) upstreamBody[name] = body[name]
  return upstreamBody
}
