import type { Endpoint, Provider } from '#catalogue/index/model.ts'
import type { Protocol, Task } from '#platform/core/vocabulary.ts'
import type { ProviderProtocol } from '../protocol/provider-protocol.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { demo } from './demo/demo-protocol.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

/** All provider protocols. A new one is a file and a line here. */
export const protocols: Record<Protocol, ProviderProtocol> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  'google-gemini': googleGemini,
  demo,
}

/**
 * The protocol of an endpoint, or else that of its provider. Undefined if neither the endpoint nor the provider has one, or if the
 * protocol does not support the task.
 */
export function findProviderProtocol(
  endpoint: Endpoint,
  provider: Provider | undefined,
  task?: Task,
): ProviderProtocol | undefined {
  const protocol = endpoint.protocol ?? provider?.protocol
  const chatProtocol = protocol && protocols[protocol]
  return task === undefined ? chatProtocol : chatProtocol?.tasks?.[task]
}
