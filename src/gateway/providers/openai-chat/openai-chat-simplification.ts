import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest, ChatTool } from '#chat/chat-request.ts'
import type { ContentPart, Message } from '#chat/message.ts'
import type { Body } from '../../protocol/request-body.ts'
import { isSingleProviderPart, joinTexts, rejectContainerFile, toResultContent } from '../content.ts'
import { emptyRequestFault } from '../empty-request.ts'

/**
 * Simplifies a chat request from another protocol for all chat servers. Joins text parts, and moves images of tool results
 * to a separate message. Keeps cache control only if cache writes have a price, and uncommon settings only if the
 * catalogue lists them.
 */
export function simplifyChat(chat: ChatRequest, { prices, supportedParameters }: Endpoint): ChatRequest {
  const keepsCacheControl = prices.cacheWrite !== undefined
  const messages = chat.messages.flatMap(withoutSingleProviderParts)
  if (messages.length === 0) throw emptyRequestFault()
  const unknown =
    supportedParameters.length > 0 ? optionalSettings.filter((name) => !supportedParameters.includes(name)) : []
  const skipped: ReadonlySet<string> = new Set([
    ...unknown,
    ...(keepsCacheControl && chat.cache_control != null ? [] : ['cache_control']),
  ])
  const plain = withoutFields(chat, skipped)
  plain.messages = keepsCacheControl
    ? withResultsAsText(messages)
    : withResultsAsText(messages).map(withoutCacheControl)
  if (chat.tools && !keepsCacheControl) plain.tools = chat.tools.map(toolWithoutCacheControl)
  return plain
}

/** Copies an object without some fields. A loop is several times as fast as a spread for 100,000 fields. */
function withoutFields<T extends object>(object: T, skipped: ReadonlySet<string>): T {
  const rest = {} as T
  for (const name in object) if (!skipped.has(name)) rest[name] = object[name]
  return rest
}

/** Settings that are sent only if the catalogue lists them for the endpoint. */
export const optionalSettings = ['top_k', 'top_a', 'min_p', 'repetition_penalty'] as const

/** Removes the parts that only their provider understands. A system message without other parts is removed. */
function withoutSingleProviderParts(message: Message): Message[] {
  if (!Array.isArray(message.content)) return [message]
  for (const part of message.content) rejectContainerFile(part)
  if (!message.content.some(isSingleProviderPart)) return [message]
  const content = message.content.filter((part) => !isSingleProviderPart(part))
  return content.length > 0 || message.role !== 'system' ? [{ ...message, content } as Message] : []
}

function toolWithoutCacheControl(tool: ChatTool): ChatTool {
  if (!('cache_control' in tool)) return tool
  const { cache_control: _breakpoint, ...rest } = tool
  return rest as ChatTool
}

function withoutCacheControl(message: Message): Message {
  if (!Array.isArray(message.content)) return message
  const parts = message.content.map((part) => {
    const { cache_control: _anthropic, prompt_cache_breakpoint: _openai, ...rest } = part as ContentPart & Body
    return rest as ContentPart
  })
  const isText = parts.every(({ type }) => type === 'text')
  return { ...message, content: isText ? joinTexts(parts.map(({ text }) => text ?? '')) : parts } as Message
}

function withFailureAsText(message: Message): Message {
  if (message.role !== 'tool' || !('is_error' in message)) return message
  // `toResultContent` says in the text that the call failed.
  const { is_error: _isError, ...rest } = message
  return { ...rest, content: toResultContent(message) } as Message
}

/** Chat servers accept only text in tool results. Other content follows the consecutive results as a user message. */
export function withResultsAsText(messages: Message[]): Message[] {
  const result: Message[] = []
  let attachments: ContentPart[] = []
  const flushAttachments = () => {
    if (attachments.length > 0) result.push({ role: 'user', content: attachments })
    attachments = []
  }
  for (const message of messages.map(withFailureAsText)) {
    if (message.role !== 'tool') flushAttachments()
    if (message.role !== 'tool' || !Array.isArray(message.content)) {
      result.push(message)
      continue
    }
    const others = message.content.filter(({ type }) => type !== 'text')
    const texts = message.content.filter(({ type }) => type === 'text')
    if (others.length === 0) {
      result.push(message)
      continue
    }
    attachments.push({ type: 'text', text: `Of the result of ${message.tool_call_id}:` }, ...others)
    result.push({ ...message, content: texts.length > 0 ? texts : 'It follows.' })
  }
  flushAttachments()
  return result
}
