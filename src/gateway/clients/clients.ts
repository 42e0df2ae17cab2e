import type { Protocol } from '#platform/core/vocabulary.ts'
import type { ClientProtocol } from '../protocol/protocol.ts'
import { chatClient } from './chat/client.ts'
import { messagesClient } from './messages/client.ts'
import { responsesClient } from './responses/client.ts'

/** All client protocols. A new one is a folder and a line here. */
export const clients: readonly ClientProtocol[] = [chatClient, responsesClient, messagesClient]

const byProtocol = new Map<string, ClientProtocol>(clients.map((client) => [client.protocol, client]))

export function clientOf(protocol: Protocol | string): ClientProtocol | undefined {
  return byProtocol.get(protocol)
}
