import type { ContentPart } from '#chat/message.ts'
import { pushAll } from '#platform/core/push-all.ts'
import { JsonParseQuota } from '#platform/json/json-text/json-parse-quota.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import { type Part, toChatPart } from '../../protocol/chat-parts.ts'
import { noteDropped } from '../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import type { Body } from '../../protocol/request-body.ts'
import { parseArguments } from '../../protocol/tool-calls/tool-arguments.ts'
import { encodeBlocks } from './anthropic-turns.ts'
import { mapBlocks } from './map-blocks.ts'

type Block = { type?: unknown; text?: unknown; content?: unknown }
type CallBlock = Block & { input?: unknown }
type Turn = { role?: unknown; content?: unknown }

/** Types of parts of chats and responses. */
const openaiPartTypes: ReadonlySet<unknown> = new Set([
  'input_text',
  'output_text',
  'image_url',
  'input_image',
  'file',
  'input_file',
  'audio_url',
  'input_audio',
  'video_url',
  'input_video',
  'audio',
  'video',
])

/** Converts parts of chats and responses to blocks of Anthropic. Clients of several protocols send them. */
export const fitBlocks: Repair = (body) => mapBlocks(body, fitBlock)

function fitBlock(block: Block): Block {
  if (block?.type === 'tool_result' && Array.isArray(block.content)) {
    const content = mapItems(block.content as Block[], fitBlock)
    return content === block.content ? block : { ...block, content }
  }
  const refusedFields = findRefusedFields(block?.type)
  if (refusedFields) return withoutFields(block, refusedFields)
  if (!openaiPartTypes.has(block?.type)) return block
  return encodeBlocks([toChatPart(block as Part) as ContentPart])[0] ?? block
}

/** Fields that LangChain adds to the blocks of a stream, and Anthropic's SDK to parsed texts. Anthropic refuses them. */
const clientFields = ['index', 'partial_json', 'parsed_output']
/** Reasoning cannot have a cache breakpoint either. */
const thoughtFields = [...clientFields, 'cache_control']

const findRefusedFields = (type: unknown): readonly string[] | undefined => {
  if (type === 'text' || type === 'tool_use') return clientFields
  return type === 'thinking' || type === 'redacted_thinking' ? thoughtFields : undefined
}

function withoutFields(block: Block, names: readonly string[]): Block {
  if (!names.some((name) => name in block)) return block
  return Object.fromEntries(Object.entries(block).filter(([name]) => !names.includes(name)))
}

/** Makes the input of each call an object, as Anthropic requires. Some clients return the JSON text of a stream, or null. */
export const fitInputs: Repair = (body) => {
  const quota = new JsonParseQuota()
  return mapBlocks<CallBlock>(body, (block) => {
    if (block?.type !== 'tool_use' || (typeof block.input === 'object' && block.input !== null)) return block
    return { ...block, input: parseArguments(typeof block.input === 'string' ? block.input : undefined, quota) }
  })
}

/** Whether a text has no visible character. */
export const isBlank = (text: unknown) => typeof text === 'string' && !/\S/.test(text)
const isBlankText = (block: unknown) => {
  const { type, text } = (block ?? {}) as Block
  return type === 'text' && isBlank(text)
}

/** The content without blank texts, also in results of tools. */
function withoutBlank(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  const remaining = content.some(isBlankText) ? content.filter((block) => !isBlankText(block)) : content
  return mapItems(remaining, (block: Block | null) => {
    if (block?.type !== 'tool_result') return block
    if (isBlank(block.content)) return { ...block, content: undefined }
    const inner = withoutBlank(block.content)
    return inner === block.content ? block : { ...block, content: inner }
  })
}

/** Removes texts without visible characters, which Anthropic refuses, and messages that have no other content. */
export const skipBlankTexts: Repair = (body, dropped) => withoutBlankTurns(withoutBlankSystem(body, dropped), dropped)

function withoutBlankSystem(body: Body, dropped: string[]): Body {
  const system = withoutBlank(body.system)
  const isRemoved = isBlank(system) || (isEmptyList(system) && system !== body.system)
  if (!isRemoved && system === body.system) return body
  noteDropped(dropped, 'system')
  const { system: _before, ...rest } = body
  return isRemoved ? rest : { ...rest, system }
}

function withoutBlankTurns(body: Body, dropped: string[]): Body {
  if (!Array.isArray(body.messages)) return body
  const turns = mapItems(body.messages as Turn[], (turn) => {
    const content = withoutBlank(turn?.content)
    return content === turn?.content ? turn : { ...turn, content }
  })
  // A system message without content changes settings.
  const remaining = turns.filter(
    ({ role, content }) => role === 'system' || !(isBlank(content) || isEmptyList(content)),
  )
  if (remaining.length === 0 || (turns === body.messages && remaining.length === turns.length)) return body
  noteDropped(dropped, 'messages.content')
  return { ...body, messages: remaining }
}

const isEmptyList = (content: unknown) => Array.isArray(content) && content.length === 0

/** Models that accept system messages within a conversation. Earlier models and other servers refuse or misplace them. */
const modelsWithSystemTurns = /claude-(?:opus-4[-.][89]|(?:opus|sonnet|haiku)-[5-9]|fable|mythos)/

/**
 * Moves system messages at the start to `system`, where Anthropic requires them. For models that accept no later ones, these
 * become reminders of the user.
 */
export const fitSystemTurns: Repair = (body) => {
  const turns = body.messages as Turn[] | undefined
  if (!Array.isArray(turns) || !turns.some(isSystemTurn)) return body
  const first = turns.findIndex((turn) => !isSystemTurn(turn))
  const leading = first > 0 ? turns.slice(0, first).filter(hasContent) : []
  const leadingTurns = new Set(leading)
  const rest = leading.length > 0 ? turns.filter((turn) => !leadingTurns.has(turn)) : turns
  const messages = modelsWithSystemTurns.test(String(body.model)) ? rest : withReminders(rest)
  if (leading.length === 0) return { ...body, messages }
  return { ...body, system: [body.system, ...leading.map(({ content }) => content)].flatMap(toBlocks), messages }
}

const isSystemTurn = (turn: Turn | null) => turn?.role === 'system'
const hasContent = ({ content }: Turn) => content != null && !isBlank(content) && !isEmptyList(content)

function toBlocks(content: unknown): unknown[] {
  if (Array.isArray(content)) return content
  return content == null || content === '' ? [] : [{ type: 'text', text: content }]
}

/** The messages with each system message as text of the user message before it, or else as a user message. */
function withReminders(turns: readonly Turn[]): Turn[] {
  const result: Turn[] = []
  /** The content of the last message if reminders were added to it. Copying it for each reminder would take quadratic time. */
  let reminded: unknown[] | undefined
  for (const turn of turns) {
    if (!isSystemTurn(turn)) {
      result.push(turn)
      reminded = undefined
    } else if (hasContent(turn)) {
      if (!reminded) {
        const last = result.at(-1)
        reminded = last?.role === 'user' ? [...toBlocks(last.content)] : []
        if (last?.role === 'user') result[result.length - 1] = { ...last, content: reminded }
        else result.push({ role: 'user', content: reminded })
      }
      pushAll(reminded, [
        ...toBlocks('<system-reminder>'),
        ...toBlocks(turn.content),
        ...toBlocks('</system-reminder>'),
      ])
    }
  }
  return result
}

/** Removes white space at the end of a prefilled response. Anthropic refuses it. */
export const trimPrefill: Repair = (body) => {
  const turns = body.messages as Turn[] | undefined
  const last = Array.isArray(turns) ? turns.at(-1) : undefined
  if (last?.role !== 'assistant') return body
  const content = trimEndOfContent(last.content)
  if (content === last.content) return body
  return { ...body, messages: [...turns!.slice(0, -1), { ...last, content }] }
}

function trimEndOfContent(content: unknown): unknown {
  if (typeof content === 'string') return content.trimEnd()
  const block = Array.isArray(content) ? (content.at(-1) as Block | undefined) : undefined
  if (block?.type !== 'text' || typeof block.text !== 'string') return content
  const text = block.text.trimEnd()
  return text === block.text ? content : [...(content as Block[]).slice(0, -1), { ...block, text }]
}
