import type { ContentPart } from '#chat/message.ts'
import { JsonParseQuota } from '#platform/json/json-text/json-parse-quota.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import { toChatPart } from '../../protocol/chat-parts.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import { readChoiceKeyword } from '../../protocol/repairs/tool-choice.ts'
import type { Body } from '../../protocol/request-body.ts'
import { toArgumentsText } from '../../protocol/tool-calls/tool-arguments.ts'
import { toResponsesChoice } from '../../protocol/tool-conversions.ts'
import { encodeParts } from './openai-responses-input.ts'

type Part = { type?: unknown; text?: unknown; image_url?: unknown } & Body
type Item = { type?: unknown; role?: unknown; content?: unknown; arguments?: unknown; output?: unknown } & Body

/** Fields of items that can be absent, and that OpenAI refuses if they are null. */
const nonNullItemFields = ['id', 'status', 'name', 'phase', 'namespace'] as const

/** Gives items the part types and fields that OpenAI accepts. Clients send items as they got them, or as chats have them. */
export const fitItems: Repair = (body) => {
  if (!Array.isArray(body.input)) return body
  const quota = new JsonParseQuota()
  const input = mapItems(body.input as Item[], (item) => fitItem(item, quota))
  return input === body.input ? body : { ...body, input }
}

function fitItem(original: Item, quota: JsonParseQuota): Item {
  if (typeof original !== 'object' || original === null) return original
  const item = withoutRefusedFields(original)
  if (item.type === 'function_call') {
    const args = toArgumentsText(item.arguments, quota)
    return args === item.arguments ? item : { ...item, arguments: args }
  }
  if (isMessagePart(item)) return { role: 'user', content: [fitPart(item as Part, 'input_text')] }
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') return withOutput(item)
  if ((item.type !== undefined && item.type !== 'message') || !Array.isArray(item.content)) return item
  const textType = item.role === 'assistant' ? 'output_text' : 'input_text'
  const content = mapItems(item.content as Part[], (part) => fitPart(part, textType))
  return content === item.content ? item : { ...item, content }
}

/** The start of the id of an item, by its type. */
const idPrefixes = new Map<unknown, string>([
  ['message', 'msg'],
  ['reasoning', 'rs'],
  ['function_call', 'fc'],
  ['function_call_output', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['custom_tool_call_output', 'ctc'],
])
const maxIdLength = 64

/** Whether OpenAI refuses the id of an item. Clients send ids of other providers. */
function hasRefusedId({ id, type, role }: Item): boolean {
  const prefix = idPrefixes.get(type ?? (role === undefined ? undefined : 'message'))
  if (typeof id !== 'string' || prefix === undefined) return id === null
  return !id.startsWith(prefix) || id.length > maxIdLength
}

/** The item without fields that OpenAI refuses, and that can be absent. */
function withoutRefusedFields(item: Item): Item {
  const names = nonNullItemFields.filter((name) => item[name] === null || (name === 'id' && hasRefusedId(item)))
  if (names.length === 0) return item
  const rest = { ...item }
  for (const name of names) delete rest[name]
  return rest
}

const partTypes: ReadonlySet<unknown> = new Set(['text', 'input_text', 'image_url', 'input_image', 'input_file'])

/** Whether an item is the part of a message. Some clients send it without the message. */
const isMessagePart = ({ type, role }: Item) => role === undefined && partTypes.has(type)

/** Fields that OpenAI refuses if they are null. */
const nonNullSettings = ['tools', 'tool_choice', 'text', 'user', 'prompt_cache_key', 'safety_identifier'] as const

/** Removes fields that are null, which some clients send for settings without a value. */
export const skipNullFields: Repair = (body) => {
  const names = nonNullSettings.filter((name) => body[name] === null)
  if (names.length === 0) return body
  const rest = { ...body }
  for (const name of names) delete rest[name]
  return rest
}

/** Whether a body has tools. Codex also declares some in an item. */
const hasTools = ({ tools, input }: Body) =>
  [{ tools }, ...(Array.isArray(input) ? (input as (Item | null)[]) : [])].some(
    (holder) => Array.isArray(holder?.tools) && holder.tools.length > 0,
  )

type Choice = { type?: unknown; name?: unknown; function?: { name?: unknown } | null }

/**
 * Converts a tool choice from the form of chats (`{ function: { name } }`) or Anthropic's (`{ type: "tool", name }`) to that of
 * responses (`{ name }`). Removes one without tools, which OpenAI refuses.
 */
export const fitToolChoice: Repair = (body) => {
  const { tool_choice: choice } = body
  if (choice == null || choice === 'auto') return body
  if (!hasTools(body) && choice !== 'none') {
    const { tool_choice: _choice, ...rest } = body
    return rest
  }
  if (typeof choice !== 'object') return body
  const { type, name, function: chosen } = choice as Choice
  const word = readChoiceKeyword(type)
  if (word) return { ...body, tool_choice: word }
  if (type === 'tool') return { ...body, tool_choice: { type: 'function', name } }
  if ('allowed_tools' in choice || 'custom' in choice)
    return { ...body, tool_choice: toResponsesChoice(choice) ?? choice }
  if (type !== 'function' || typeof chosen?.name !== 'string') return body
  return { ...body, tool_choice: { type, name: chosen.name } }
}

/** The result of a call with an output that OpenAI accepts: a text, or a list of parts. */
function withOutput(item: Item): Item {
  const { output } = item
  if (typeof output === 'string') return item
  if (!Array.isArray(output)) return { ...item, output: output == null ? '' : JSON.stringify(output) }
  const parts = mapItems(output as Part[], (part) => fitPart(part, 'input_text'))
  return parts === output ? item : { ...item, output: parts }
}

/** Types of parts of chats and of Anthropic's protocol. */
const convertedPartTypes: ReadonlySet<unknown> = new Set([
  'file',
  'audio_url',
  'video_url',
  'input_video',
  'image',
  'document',
])

const textTypes: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text'])

/** The part with the type that OpenAI accepts. Images have their URL directly in the part, and not in an object as in chats. */
function fitPart(part: Part, textType: 'input_text' | 'output_text'): Part {
  const { type, image_url: image } = part ?? {}
  if (textTypes.has(type)) return type === textType ? part : { ...part, type: textType }
  if (convertedPartTypes.has(type)) return encodeParts([toChatPart(part) as ContentPart])[0] ?? part
  if (type !== 'image_url' && type !== 'input_image') return part
  const { url, detail } = (typeof image === 'object' && image !== null ? image : {}) as {
    url?: unknown
    detail?: unknown
  }
  if (url === undefined && type === 'input_image') return part
  return { ...part, type: 'input_image', image_url: url ?? image, ...(detail !== undefined && { detail }) }
}
