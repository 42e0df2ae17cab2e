import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { encodeBody } from '#gateway/protocol/encoded-body.ts'
import type { ProviderProtocol } from '#gateway/protocol/provider-protocol.ts'

/** An endpoint that supports everything, with the given name. */
export function endpointFor(upstreamModel: string, more: Partial<Endpoint> = {}): Endpoint {
  return {
    id: `test/${upstreamModel}@test`,
    provider: 'test',
    tag: 'test',
    name: 'Test',
    upstreamModel,
    contextLength: 200_000,
    maxCompletionTokens: 64_000,
    maxPromptTokens: null,
    quantization: 'unknown',
    prices: { prompt: '0', completion: '0' },
    supportedParameters: ['reasoning', 'tools'],
    supportsImplicitCaching: false,
    toolChoice: { auto: true, none: true, required: true, function: true },
    regions: [],
    zeroDataRetention: false,
    trainsOnData: false,
    publishesPrompts: false,
    moderated: false,
    ...more,
  }
}

/** A short chat with the given fields, as the protocol sends it to the endpoint. */
export function encoded(
  providerProtocol: ProviderProtocol,
  endpoint: Endpoint | string,
  chat: Partial<ChatRequest>,
  stream = true,
): { path: string; headers: Record<string, string>; body: any } {
  const target = {
    endpoint: typeof endpoint === 'string' ? endpointFor(endpoint) : endpoint,
    credential: 'secret',
    stream,
  }
  const whole = { messages: [{ role: 'user', content: 'Hi' }], ...chat } as ChatRequest
  const request = providerProtocol.encode(whole, target)
  return { path: request.path, headers: request.headers, body: JSON.parse(encodeBody(request) as string) }
}

export const weatherTool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'Returns the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

/** An assistant's call of the weather, and its response. */
export const weatherCall = (more: object = {}) =>
  [
    { role: 'user', content: 'Weather in Rome?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_A', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
      ...more,
    },
    { role: 'tool', tool_call_id: 'call_A', content: '{"sky":"blue"}' },
  ] as ChatRequest['messages']
