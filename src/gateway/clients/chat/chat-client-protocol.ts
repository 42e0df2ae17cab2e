import { passesChatFastCheck } from '#chat/chat-fast-check.ts'
import { ChatRequest } from '#chat/chat-request.ts'
import type { Chunk } from '#chat/chunk.ts'
import type { ClientProtocol } from '../../protocol/client-protocol.ts'
import { addCostToUsage } from '../../protocol/usage-with-cost.ts'
import { writeCompletion } from './completion.ts'
import { hasLegacyFunctions, translateLegacyFunctions } from './legacy-functions.ts'
import { createChatRewriter } from './passthrough/rewriter.ts'
import { chatPreset } from './preset.ts'
import { Completion, CompletionChunk } from './schema.ts'
import { toChatUsage } from './usage.ts'
import { createChatWriter, emptyChoice } from './writer.ts'

/** The client protocol of OpenAI chat completions. */
export const chatClientProtocol: ClientProtocol = {
  protocol: 'openai-chat',
  operation: {
    id: 'createChatCompletion',
    path: '/chat/completions',
    summary: 'Create a chat completion',
    description:
      'The OpenAI Chat Completions API for every model of the catalogue, streamed or not. Unknown fields are forwarded unchanged.',
    request: ChatRequest,
    response: Completion,
    events: CompletionChunk,
  },
  conversation: 'messages',
  apiType: 'completions',
  isCertainlyValid: passesChatFastCheck,
  toChat: (body) => (hasLegacyFunctions(body) ? translateLegacyFunctions(body) : (body as ChatRequest)),
  preset: chatPreset,
  keepalive: ': keepalive\n\n',
  createWriter: createChatWriter,
  writeBody: writeCompletion,
  passThroughEnd: 'data: [DONE]\n\n',
  createRewriter: createChatRewriter,
  toUsage: toChatUsage,
  addCostToEvent(raw, cost, { includeUsage }) {
    const text = raw.toString('utf8')
    const chunk = JSON.parse(text.slice(text.indexOf('{'))) as Chunk
    const choices = includeUsage || chunk.choices?.length > 0 ? chunk.choices : [emptyChoice]
    return `data: ${JSON.stringify({ ...chunk, choices, usage: addCostToUsage(chunk.usage, cost, toChatUsage) })}\n\n`
  },
}
