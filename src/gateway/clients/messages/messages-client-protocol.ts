import { MessagesCall } from '#chat/messages-call.ts'
import type { ClientProtocol } from '../../protocol/client-protocol.ts'
import { changeLastObject } from '../../protocol/passthrough-rewriter.ts'
import { addCostToUsage } from '../../protocol/usage-with-cost.ts'
import { messagesEnvelope } from './errors.ts'
import { toUpstreamHeaders } from './headers.ts'
import { messagesPreset } from './preset.ts'
import { listUntranslatedFields, messagesToChat } from './request/to-chat.ts'
import { toMessageUsage } from './response/message.ts'
import { createMessagesRewriter } from './response/rewriter.ts'
import { MessageWriter } from './response/writer.ts'
import { Message, MessageError, MessageEvent } from './schema.ts'

/** The client protocol of Anthropic's Messages API. Clients always get the usage. */
export const messagesClientProtocol: ClientProtocol = {
  protocol: 'anthropic-messages',
  operation: {
    id: 'createMessage',
    path: '/messages',
    summary: 'Create a message',
    description:
      'The Anthropic Messages API for every model of the catalogue. Send the key as `x-api-key` or as a bearer token. Errors have Anthropic’s format.',
    request: MessagesCall,
    response: Message,
    events: MessageEvent,
    errorBody: MessageError,
  },
  conversation: 'messages',
  apiType: 'messages',
  // `reasoning` also belongs to this service, but stays: it is translated for the model.
  serviceOnlyFields: new Set(['fallbacks', 'user']),
  upstreamHeaders: toUpstreamHeaders,
  isUsedBy: (headers) => headers['anthropic-version'] !== undefined,
  acceptsApiKeyHeader: true,
  toChat: messagesToChat,
  listUntranslatedFields: listUntranslatedFields,
  preset: messagesPreset,
  keepalive: 'event: ping\ndata: {"type": "ping"}\n\n',
  createWriter: (head) => new MessageWriter(head),
  writeBody(head, events, cost) {
    const writer = new MessageWriter(head)
    for (const event of events) writer.event(event)
    writer.end(cost)
    return writer.message(cost)
  },
  passThroughEnd: '',
  createRewriter: createMessagesRewriter,
  toUsage: toMessageUsage,
  addCostToEvent: (raw, cost) =>
    changeLastObject<{ usage?: object | null }>(raw, (event) =>
      event.usage ? { ...event, usage: addCostToUsage(event.usage, cost, toMessageUsage) } : undefined,
    ),
  envelope: messagesEnvelope,
  responseHeaders: (requestId) => ({ 'request-id': requestId }),
}
