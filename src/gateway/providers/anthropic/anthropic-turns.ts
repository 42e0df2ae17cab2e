import type { Content, Message } from '#chat/message.ts'
import { readThoughts, type Thought } from '#chat/thoughts.ts'
import { pushAll } from '#platform/core/push-all.ts'
import { JsonParseQuota } from '#platform/json/json-text/json-parse-quota.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { isTextType } from '../../protocol/repairs/media-types.ts'
import { readCalledFunction } from '../../protocol/tool-calls/tool-arguments.ts'
import {
  isFailedResult,
  isInstruction,
  type NormalizedPart,
  normalizeContent,
  readContentOrWords,
  unsupportedMediumFault,
} from '../content.ts'

export type Block = Record<string, unknown>
type Turn = { role: 'user' | 'assistant'; content: Block[] }

/** The system prompt: all system and developer messages. */
export function encodeSystem(messages: Message[]): Block[] {
  return messages
    .filter(isInstruction)
    .flatMap((message) => withCacheBreakpoint(normalizeContent(message.content).flatMap(toBlocks), message))
}

/** Moves a cache breakpoint that some clients set at the message to its last block. */
function withCacheBreakpoint(blocks: Block[], { cache_control }: Message): Block[] {
  const last = blocks.at(-1)
  if (cache_control == null || !last || last.cache_control != null) return blocks
  return [...blocks.slice(0, -1), { ...last, cache_control }]
}

/** Merges consecutive messages of a role, including tool results, which Anthropic expects in one turn of the user. */
export function encodeTurns(messages: Message[]): Turn[] {
  const turns: Turn[] = []
  const quota = new JsonParseQuota()
  for (const message of messages) {
    if (isInstruction(message)) continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = encodeMessageBlocks(message, quota)
    if (content.length === 0) continue
    const last = turns.at(-1)
    if (last?.role === role) pushAll(last.content, content)
    else turns.push({ role, content })
  }
  return turns
}

function encodeMessageBlocks(message: Message, quota: JsonParseQuota): Block[] {
  if (message.role === 'tool') return [encodeToolResult(message)]
  const blocks = withCacheBreakpoint(normalizeContent(readContentOrWords(message)).flatMap(toBlocks), message)
  if (message.role !== 'assistant') return blocks
  const thoughts = readCompleteReasoning(message).map(({ text, signature, encrypted }) =>
    encrypted === undefined
      ? { type: 'thinking', thinking: text, signature }
      : { type: 'redacted_thinking', data: encrypted },
  )
  const calls = (message.tool_calls ?? []).map((call) => {
    const { name, args } = readCalledFunction(call, quota)
    return { type: 'tool_use', id: call.id, name, input: args }
  })
  return thoughts.length + calls.length === 0 ? blocks : [...thoughts, ...blocks, ...calls]
}

/**
 * The complete reasoning that a client sent back. Some clients keep only the last piece, which has the signature and no
 * text. Anthropic refuses changed reasoning.
 */
export function readCompleteReasoning(message: Message): Thought[] {
  return readThoughts(message, 'anthropic-claude-v1').filter(({ text, encrypted }) => text || encrypted !== undefined)
}

/** A tool result with the cache breakpoint of its content: clients of chats can set a breakpoint only in the content. */
function encodeToolResult(message: Extract<Message, { role: 'tool' }>): Block {
  const parts = normalizeContent(message.content)
  const content = parts.flatMap(({ cacheControl: _hoisted, ...part }) => toBlocks(part))
  return withoutNulls({
    type: 'tool_result',
    tool_use_id: message.tool_call_id,
    content: content.length > 0 ? content : undefined,
    is_error: isFailedResult(message) ? true : undefined,
    cache_control:
      parts.findLast(({ cacheControl }) => cacheControl !== undefined)?.cacheControl ?? message.cache_control,
  })
}

/** Encodes content in the chat format. @throws Fault `invalid` for a medium that the protocol does not support. */
export const encodeBlocks = (content: Content): Block[] => normalizeContent(content).flatMap(toBlocks)

function toBlocks(part: NormalizedPart): Block[] {
  // Anthropic refuses empty text.
  if (part.kind === 'text' && part.text === '') return []
  if (part.kind === 'text' && part.cacheControl == null) return [{ type: 'text', text: part.text }]
  return [withoutNulls({ ...toBareBlock(part), cache_control: part.cacheControl })]
}

function toBareBlock(part: NormalizedPart): Block {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image':
      return { type: 'image', source: { type: 'url', url: part.url } }
    case 'file':
      return { type: 'document', source: { type: 'url', url: part.url }, title: part.name }
    case 'remote-media':
      throw unsupportedMediumFault(part.medium)
    case 'uploaded-file':
      return { type: 'document', source: { type: 'file', file_id: part.fileId } }
    case 'inline':
      return inlineBlock(part)
    case 'other':
      return part.original
    default:
      return part satisfies never
  }
}

function inlineBlock({ modality, mediaType, base64, name }: Extract<NormalizedPart, { kind: 'inline' }>): Block {
  if (modality === 'audio' || modality === 'video') throw unsupportedMediumFault(modality)
  const source = { type: 'base64', media_type: mediaType, data: base64 }
  if (modality === 'image' || mediaType.startsWith('image/')) return { type: 'image', source }
  // Anthropic accepts documents in base64 only as PDF. Plain text is sent as text.
  if (mediaType === 'application/pdf') return { type: 'document', source, title: name }
  if (!isTextType(mediaType)) throw unsupportedMediumFault(`files of the type ${mediaType}`)
  const text = Buffer.from(base64, 'base64').toString('utf8')
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, title: name }
}
