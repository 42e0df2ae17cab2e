import { ChatRequest } from '#chat/chat-request.ts'
import { type EmbeddingsInput, EmbeddingsRequest } from '#chat/embeddings-request.ts'
import type { Message } from '#chat/message.ts'
import { tokenIdsPart } from '#chat/tokens/token-ids.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Body } from '../../protocol/request-body.ts'

/** Fields that some clients send with every request, and that have no effect here. */
const ignoredFields: ReadonlySet<string> = new Set(['stream_options', 'usage'])

const isChatOnlyField = (name: string) =>
  Object.hasOwn(ChatRequest.shape, name) && !Object.hasOwn(EmbeddingsRequest.shape, name)

/**
 * Translates a body to a chat request with one message for each input. Other fields stay.
 * @throws Fault `invalid` for a field that only chats have.
 */
export function embeddingsToChat({ input, ...fields }: Body): ChatRequest {
  const chat: Body = { messages: listInputs(input).map(toMessage) }
  for (const name in fields) {
    const value = fields[name]
    if (!isChatOnlyField(name)) chat[name] = value
    else if (value != null && value !== false && !ignoredFields.has(name))
      throw new Fault('invalid', `Invalid request: ${name}: embeddings do not have this field. Omit it.`)
  }
  return chat as ChatRequest
}

function listInputs(input: unknown): EmbeddingsInput[] {
  if (typeof input === 'string') return [input]
  const list = input as EmbeddingsInput[] | number[]
  return typeof list[0] === 'number' ? [list as number[]] : (list as EmbeddingsInput[])
}

function toMessage(input: EmbeddingsInput): Message {
  if (typeof input === 'string') return { role: 'user', content: input }
  const content = Array.isArray(input) ? [tokenIdsPart(input)] : input.content
  return { role: 'user', content } as Message
}
