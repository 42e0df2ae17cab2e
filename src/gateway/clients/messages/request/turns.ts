import type { ContentPart, Message, ToolCall } from '#chat/message.ts'
import { type ReasoningDetail, toReasoningDetails } from '#chat/thoughts.ts'
import { Fault } from '#platform/core/fault.ts'
import { pushAll } from '#platform/core/push-all.ts'
import { readReasoningBlock } from '../reasoning-blocks.ts'
import { type Block, readBlocks, toParts } from './blocks.ts'

type Turn = { role?: unknown; content?: unknown }

/** Translates the system prompt and the turns into chat messages. A tool's result becomes a separate message before the rest. */
export function toMessages(system: unknown, turns: readonly Turn[]): Message[] {
  const instructions = toContent(readBlocks(system, 'system').flatMap(withoutBillingLine), 'system')
  const messages: Message[] =
    instructions.length > 0 ? [{ role: 'system', content: simplifyContent(instructions) }] : []
  return [...messages, ...turns.flatMap((turn, index) => turnMessages(turn, `messages.${index}`))]
}

/**
 * The line with which Claude Code starts its system prompt, for Anthropic's billing. It is different in each request, so
 * that no other provider could cache the prompt.
 */
const billingLine = /^x-anthropic-billing-header:[^\n]*\n*/

function withoutBillingLine(block: Block): Block[] {
  if (typeof block.text !== 'string' || !billingLine.test(block.text)) return [block]
  const text = block.text.replace(billingLine, '')
  return text === '' ? [] : [{ ...block, text }]
}

/** Whether a system prompt starts with the billing line, which is removed for other protocols. */
export function hasBillingLine(system: unknown): boolean {
  const blocks: ({ text?: unknown } | null)[] = Array.isArray(system) ? system : [{ text: system }]
  return blocks.some((block) => typeof block?.text === 'string' && billingLine.test(block.text))
}

function turnMessages({ role, content }: Turn, path: string): Message[] {
  const blocks = readBlocks(content, `${path}.content`)
  if (role === 'assistant') return assistantMessage(blocks, `${path}.content`)
  if (role !== 'user' && role !== 'system')
    throw new Fault('invalid', `${path}.role: must be "user", "assistant" or "system".`)
  const results = blocks.flatMap((block, index) =>
    block.type === 'tool_result' ? [resultMessage(block, `${path}.content.${index}`)] : [],
  )
  const parts = toContent(blocks, `${path}.content`)
  return parts.length > 0 ? [...results, { role, content: simplifyContent(parts) }] : results
}

function toContent(blocks: Block[], path: string): ContentPart[] {
  return blocks.flatMap((block, index) => (block.type === 'tool_result' ? [] : toParts(block, `${path}.${index}`)))
}

/** Simplifies a single text without cache control to a string, because not every provider accepts parts. */
function simplifyContent(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts
  return parts.length === 1 && first?.type === 'text' && !('cache_control' in first) ? (first.text ?? '') : parts
}

function resultMessage(block: Block, path: string): Message {
  const { tool_use_id, content, cache_control } = block
  if (typeof tool_use_id !== 'string') throw new Fault('invalid', `${path}.tool_use_id: is required, and must be text.`)
  const parts = toContent(readBlocks(content, `${path}.content`), `${path}.content`)
  const last = parts.at(-1)
  if (cache_control != null && last) parts[parts.length - 1] = { ...last, cache_control }
  const failure = block.is_error === true && { is_error: true }
  return {
    role: 'tool',
    tool_call_id: tool_use_id,
    content: parts.length > 0 ? simplifyContent(parts) : '',
    ...failure,
  }
}

/** Blocks of Anthropic's tools, which have no meaning for other providers. */
const anthropicServerBlocks = /^(?:server_tool_use|mcp_tool_use|\w+_tool_result|container_upload)$/

/** The types of the blocks that cannot be translated to other protocols, each once. */
export function listSkippedBlockTypes(turns: unknown): string[] {
  const blocks = (Array.isArray(turns) ? (turns as Turn[]) : []).flatMap((turn) =>
    turn?.role === 'assistant' && Array.isArray(turn.content) ? (turn.content as (Block | null)[]) : [],
  )
  return [...new Set(blocks.map((block) => String(block?.type)).filter((type) => anthropicServerBlocks.test(type)))]
}

function assistantMessage(blocks: Block[], path: string): Message[] {
  const parts: ContentPart[] = []
  const calls: ToolCall[] = []
  const details: ReasoningDetail[] = []
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      const thought = readReasoningBlock(block)
      if (thought) pushAll(details, toReasoningDetails(thought, details.length))
    } else if (block.type === 'tool_use') calls.push(toCall(block, `${path}.${index}`))
    else if (block.type === 'compaction') parts.push(summaryPart(block, index < blocks.length - 1))
    else if (!anthropicServerBlocks.test(block.type)) pushAll(parts, toParts(block, `${path}.${index}`))
  }
  if (parts.length + calls.length + details.length === 0) return []
  const message = {
    role: 'assistant' as const,
    content: joinTextParts(parts),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return [message]
}

/** The summary of the earlier conversation, which must not run into the text after it. */
function summaryPart({ content }: Block, isFollowed: boolean): ContentPart {
  const text = typeof content === 'string' ? content : ''
  return { type: 'text', text: text !== '' && isFollowed ? `${text}\n\n` : text }
}

/** Joins the blocks into which citations cut a text, unless they have cache control. */
function joinTextParts(parts: ContentPart[]): string | ContentPart[] | null {
  if (parts.length === 0) return null
  const isText = parts.every((part) => part.type === 'text' && !('cache_control' in part))
  return isText ? parts.map(({ text }) => text).join('') : parts
}

function toCall({ id, name, input }: Block, path: string): ToolCall {
  if (typeof id !== 'string') throw new Fault('invalid', `${path}.id: is required, and must be text.`)
  if (typeof name !== 'string') throw new Fault('invalid', `${path}.name: is required, and must be text.`)
  // Some clients keep the JSON text of a stream.
  const args = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  return { id, type: 'function', function: { name, arguments: args } }
}
