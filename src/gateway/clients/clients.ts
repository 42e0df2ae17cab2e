import type { ClientProtocol } from '../protocol/client-protocol.ts'
import { chatClient } from './chat/client.ts'
import { embeddingsClient } from './embeddings/client.ts'
import { messagesClient } from './messages/client.ts'
import { responsesClient } from './responses/client.ts'

/** The client protocols of chats. A new one is a folder and a line here. */
export const clients: readonly ClientProtocol[] = [chatClient, responsesClient, messagesClient]

/** All client protocols: those of chats, and one for each other task. */
export const allClients: readonly ClientProtocol[] = [...clients, embeddingsClient]

const byProtocol = new Map<string, ClientProtocol>(allClients.map((client) => [client.protocol, client]))

export function findClient(protocol: string): ClientProtocol | undefined {
  return byProtocol.get(protocol)
}
