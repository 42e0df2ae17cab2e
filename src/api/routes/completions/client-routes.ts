import { isArgumentsField } from '#chat/fields/arguments-fields.ts'
import { clientProtocols } from '#gateway/clients/client-protocols.ts'
import type { ClientProtocol } from '#gateway/protocol/client-protocol.ts'
import type { FaultKind } from '#platform/core/fault.ts'
import { type Route, route } from '../route.ts'
import { sendCompletion } from './call.ts'

const faults: FaultKind[] = [
  'invalid',
  'unauthenticated',
  'payment_required',
  'forbidden',
  'not_found',
  'request_timeout',
  'payload_too_large',
  'rate_limited',
  'bad_gateway',
  'unavailable',
]

function completionRoute(client: ClientProtocol): Route {
  const { path, summary, description, request, maxBodyParts, response, events, errorBody } = client.operation
  const protocolHeaders = client.responseHeaders ? (['request-id'] as const) : []
  return route({
    method: 'post',
    path,
    tag: 'completions',
    key: 'api',
    ...(client.acceptsApiKeyHeader && { acceptsApiKeyHeader: () => true }),
    summary,
    description,
    request: { body: request },
    keepsOriginalBody: true,
    exactFields: isArgumentsField,
    maxBodyParts,
    isCertainlyValid: client.isCertainlyValid,
    response,
    ...(events && { mediaTypes: ['text/event-stream'], events }),
    errorBody,
    headers: {
      success: ['x-generation-id', 'x-fields-left-out', ...protocolHeaders],
      failure: ['x-generation-id', 'x-should-retry', ...protocolHeaders],
    },
    faults,
    handler: (call, { gateway }) => sendCompletion(gateway, call, client),
  })
}

/** One operation for each client protocol. */
export const completionRoutes: Record<string, Route> = Object.fromEntries(
  clientProtocols.map((client) => [client.operation.id, completionRoute(client)]),
)
