import type { Message } from '#chat/message.ts'
import { readThoughts, type Thought } from '#chat/thoughts.ts'
import { pushAll } from '#platform/core/push-all.ts'
import { JsonBudget } from '#platform/json/json-text/json-budget.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { isTextType } from '../../protocol/repairs/media-types.ts'
import { readCalledFunction } from '../../protocol/tool-calls/tool-arguments.ts'
import { hasFailed, isInstruction, type Piece, toPieces } from '../content.ts'

export type Block = Record<string, unknown>
type Turn = { role: 'user' | 'assistant'; content: Block[] }

/** The system prompt: all system and developer messages. */
export function encodeSystem(messages: Message[]): Block[] {
  return messages
    .filter(isInstruction)
    .flatMap((message) => withCacheMark(toPieces(message.content).flatMap(toBlocks), message))
}

/** Some clients put a cache breakpoint on the message. It belongs to its last block. */
function withCacheMark(blocks: Block[], { cache_control }: Message): Block[] {
  const last = blocks.at(-1)
  if (cache_control == null || !last || last.cache_control != null) return blocks
  return [...blocks.slice(0, -1), { ...last, cache_control }]
}

/** Merges consecutive messages of a role, including tool results, because roles must alternate. */
export function encodeTurns(messages: Message[]): Turn[] {
  const turns: Turn[] = []
  const budget = new JsonBudget()
  for (const message of messages) {
    if (isInstruction(message)) continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = messageBlocks(message, budget)
    if (content.length === 0) continue
    const last = turns.at(-1)
    if (last?.role === role) pushAll(last.content, content)
    else turns.push({ role, content })
  }
  return turns
}

function messageBlocks(message: Message, budget: JsonBudget): Block[] {
  if (message.role === 'tool') return [toolResult(message)]
  const blocks = withCacheMark(toPieces(message.content).flatMap(toBlocks), message)
  if (message.role !== 'assistant') return blocks
  const thoughts = completeThoughts(message).map(({ text, signature, encrypted }) =>
    encrypted === undefined
      ? { type: 'thinking', thinking: text, signature }
      : { type: 'redacted_thinking', data: encrypted },
  )
  const calls = (message.tool_calls ?? []).map((call) => {
    const { name, args } = readCalledFunction(call, budget)
    return { type: 'tool_use', id: call.id, name, input: args }
  })
  return thoughts.length + calls.length === 0 ? blocks : [...thoughts, ...blocks, ...calls]
}

/**
 * The complete reasoning that a client sent back. Some clients keep only the last piece, which has the signature and no
 * text. Anthropic refuses changed reasoning.
 */
export function completeThoughts(message: Message): Thought[] {
  return readThoughts(message, 'anthropic-claude-v1').filter(({ text, encrypted }) => text || encrypted !== undefined)
}

/** Moves a cache breakpoint from the content of a result to the result. */
function toolResult(message: Extract<Message, { role: 'tool' }>): Block {
  const pieces = toPieces(message.content)
  const content = pieces.flatMap(({ cacheControl: _hoisted, ...piece }) => toBlocks(piece))
  return withoutNulls({
    type: 'tool_result',
    tool_use_id: message.tool_call_id,
    content: content.length > 0 ? content : undefined,
    is_error: hasFailed(message) ? true : undefined,
    cache_control:
      pieces.findLast(({ cacheControl }) => cacheControl !== undefined)?.cacheControl ?? message.cache_control,
  })
}

function toBlocks(piece: Piece): Block[] {
  // Anthropic refuses empty text.
  if (piece.kind === 'text' && piece.text === '') return []
  if (piece.kind === 'text' && piece.cacheControl == null) return [{ type: 'text', text: piece.text }]
  return [withoutNulls({ ...toBareBlock(piece), cache_control: piece.cacheControl })]
}

function toBareBlock(piece: Piece): Block {
  switch (piece.kind) {
    case 'text':
      return { type: 'text', text: piece.text }
    case 'image':
      return { type: 'image', source: { type: 'url', url: piece.url } }
    case 'file':
      return { type: 'document', source: { type: 'url', url: piece.url }, title: piece.name }
    case 'uploaded':
      return { type: 'document', source: { type: 'file', file_id: piece.fileId } }
    case 'inline':
      return inlineBlock(piece)
    case 'other':
      return piece.part
    default:
      return piece satisfies never
  }
}

function inlineBlock({ modality, mediaType, base64, name }: Extract<Piece, { kind: 'inline' }>): Block {
  const source = { type: 'base64', media_type: mediaType, data: base64 }
  if (modality === 'image' || mediaType.startsWith('image/')) return { type: 'image', source }
  // Base64 is only for PDF. Plain text is sent as text.
  if (!isTextType(mediaType)) return { type: 'document', source, title: name }
  const text = Buffer.from(base64, 'base64').toString('utf8')
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, title: name }
}
