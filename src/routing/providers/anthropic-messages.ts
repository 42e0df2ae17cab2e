import type { Wire } from '../wire.ts'
import { anthropicReader, readAnthropicMessage } from './anthropic-answer.ts'
import { anthropicRequest, thinkingFor } from './anthropic-request.ts'
import { mayThink } from './anthropic-thinking.ts'
import { anthropicOrders, ownTool } from './anthropic-tools.ts'

/** Anthropic messages: system beside the messages, thinking with signatures, cache breakpoints. */
export const anthropicMessages: Wire = {
  protocol: 'anthropic-messages',
  encode: (chat, { endpoint, credential, stream }) => ({
    path: '/messages',
    headers: { 'anthropic-version': '2023-06-01', ...(credential && { 'x-api-key': credential }) },
    body: JSON.stringify(anthropicRequest(chat, endpoint, stream)),
  }),
  answerLimit: (chat, endpoint) => thinkingFor(chat, endpoint).maxTokens,
  orders: anthropicOrders,
  knowsTool: (tool) => ownTool(tool) !== undefined,
  mayThink: (chat, endpoint) => mayThink(endpoint, thinkingFor(chat, endpoint)),
  reader: anthropicReader,
  readBody: readAnthropicMessage,
  errorMessage: (body) => (body as { error?: { message?: string } } | undefined)?.error?.message,
}
