import type { ClientProtocol } from '../protocol/client-protocol.ts'
import { chatClientProtocol } from './chat/chat-client-protocol.ts'
import { embeddingsClientProtocol } from './embeddings/embeddings-client-protocol.ts'
import { messagesClientProtocol } from './messages/messages-client-protocol.ts'
import { responsesClientProtocol } from './responses/responses-client-protocol.ts'

/** The client protocols of chats. A new protocol is a folder and a line here. */
export const chatClientProtocols: readonly ClientProtocol[] = [
  chatClientProtocol,
  responsesClientProtocol,
  messagesClientProtocol,
]

/** All client protocols: those of chats, and one for each other task. */
export const clientProtocols: readonly ClientProtocol[] = [...chatClientProtocols, embeddingsClientProtocol]

const byProtocol = new Map<string, ClientProtocol>(clientProtocols.map((client) => [client.protocol, client]))

export function findClientProtocol(protocol: string): ClientProtocol | undefined {
  return byProtocol.get(protocol)
}
