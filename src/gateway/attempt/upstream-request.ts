import { Fault } from '#platform/core/fault.ts'
import type { EncodedRequest } from '../protocol/provider-protocol.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { TargetEncoding } from './target-encoding.ts'
import type { UpstreamRequest } from './upstream/upstream.ts'

/** The HTTP request for one endpoint. @throws Fault `unavailable` without a base URL. */
export function buildUpstreamRequest(
  admitted: AdmittedRequest,
  { access, providerProtocol, encoded, passesBody, upstreamStreams }: TargetEncoding,
  body: UpstreamRequest['body'],
): UpstreamRequest {
  return {
    ...resolveAddress(providerProtocol.origin ?? access.baseUrl, encoded.path),
    headers: buildHeaders(admitted, encoded, upstreamStreams, passesBody),
    body,
    isStream: admitted.reservation.request.chat.stream === true,
  }
}

function buildHeaders(
  { call, client, record, reservation, decision }: AdmittedRequest,
  encoded: EncodedRequest,
  upstreamStreams: boolean,
  passesBody: boolean,
): Record<string, string> {
  const { traceParent: traceparent } = record
  const isLimited = decision.spending.budgets.length > 0
  return {
    'content-type': 'application/json',
    accept: upstreamStreams ? 'text/event-stream' : 'application/json',
    // Without compression, the bytes of a stream can be relayed as they arrive.
    'accept-encoding': 'identity',
    ...(traceparent !== undefined && { traceparent }),
    ...encoded.headers,
    ...(passesBody && client.upstreamHeaders?.(call.headers, { body: reservation.request.body, isLimited })),
  }
}

const addressPattern = /^([a-z]+:\/\/[^/]+)(\/.*?)?\/?$/i

/** Splits the URL of a request into origin and path. @throws Fault `unavailable` without a base URL. */
export function resolveAddress(baseUrl: string | undefined, path: string): { origin: string; path: string } {
  const [, origin, base = ''] = addressPattern.exec(baseUrl ?? '') ?? []
  if (!origin) throw new Fault('unavailable', 'The provider has no base URL in the catalogue.')
  return { origin, path: base + path }
}
