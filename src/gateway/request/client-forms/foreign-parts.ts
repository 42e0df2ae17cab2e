import { type Part, toChatPart } from '../../protocol/chat-parts.ts'
import type { Body } from '../../protocol/request-body.ts'

type Message = { role?: unknown; content?: unknown } & Body

/**
 * Converts content parts in the formats of other protocols, which some clients send in chat messages, to the format of chats.
 * The null content of a tool result becomes an empty text. A body without such content is returned unchanged.
 */
export function withChatParts(body: Body): Body {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(needsChange)) return body
  return {
    ...body,
    messages: (messages as Message[]).flatMap((message) =>
      needsChange(message) ? extractCallParts(withChatContent(message)) : [message],
    ),
  }
}

type CallPart = Part & { id?: unknown; name?: unknown; input?: unknown; tool_use_id?: unknown; content?: unknown }

const isCallPart = (part: Part | null) => part?.type === 'tool_use' || part?.type === 'tool_result'

/**
 * Moves the calls of Anthropic's protocol from the parts to `tool_calls`, and its results to tool messages. Results come before
 * the other parts of a user message, because in a chat they must follow the calls directly.
 */
function extractCallParts(message: Message): Message[] {
  const { role, content } = message
  if (!Array.isArray(content) || !(content as (Part | null)[]).some(isCallPart)) return [message]
  const parts = content as CallPart[]
  const results = parts.filter(({ type }) => type === 'tool_result').map(toToolMessage)
  const rest = parts.filter((part) => !isCallPart(part))
  if (role !== 'assistant') return rest.length > 0 ? [...results, { ...message, content: rest }] : results
  const listedCalls = (Array.isArray(message.tool_calls) ? message.tool_calls : []) as { id?: unknown }[]
  const ids = new Set(listedCalls.map(({ id }) => id))
  const calls = parts.filter(({ type, id }) => type === 'tool_use' && !ids.has(id)).map(toChatCall)
  const response = { ...message, content: rest.length > 0 ? rest : null, tool_calls: [...listedCalls, ...calls] }
  return [response, ...results]
}

function toChatCall({ id, name, input }: CallPart): object {
  const args = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  return { id, type: 'function', function: { name, arguments: args } }
}

function toToolMessage({ tool_use_id, content, is_error }: CallPart): Message {
  const parts = Array.isArray(content) ? (content as (Part | null)[]).map(toChatPart) : (content ?? '')
  return { role: 'tool', tool_call_id: tool_use_id, content: parts, ...(is_error === true && { is_error }) }
}

function needsChange(message: Message | null): boolean {
  const { role, content } = message ?? {}
  if (role === 'tool' && content === null) return true
  return (
    Array.isArray(content) && (content as (Part | null)[]).some((part) => isCallPart(part) || toChatPart(part) !== part)
  )
}

function withChatContent(message: Message): Message {
  const { content } = message
  return { ...message, content: content === null ? '' : (content as (Part | null)[]).map(toChatPart) }
}
