import type { ContentPart } from '#chat/message.ts'
import { JsonBudget } from '#platform/json/json-text/json-budget.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import { toChatPart } from '../../protocol/chat-parts.ts'
import type { Body } from '../../protocol/protocol.ts'
import type { Repair } from '../../protocol/repairs/repair.ts'
import { toArgumentsText } from '../../protocol/tool-calls/tool-arguments.ts'
import { inputParts } from './openai-responses-input.ts'

type Part = { type?: unknown; text?: unknown; image_url?: unknown } & Body
type Item = { type?: unknown; role?: unknown; content?: unknown; arguments?: unknown; output?: unknown } & Body

/** Members of items that can be absent, and that OpenAI refuses if they are null. */
const nonNullMembers = ['id', 'status', 'name', 'phase', 'namespace'] as const

/** Gives items the part types and members that OpenAI accepts. Clients send items as they got them, or as chats have them. */
export const fitItems: Repair = (body) => {
  if (!Array.isArray(body.input)) return body
  const budget = new JsonBudget()
  const input = mapItems(body.input as Item[], (item) => fitItem(item, budget))
  return input === body.input ? body : { ...body, input }
}

function fitItem(original: Item, budget: JsonBudget): Item {
  if (typeof original !== 'object' || original === null) return original
  const item = withoutNullMembers(original)
  if (item.type === 'function_call') {
    const args = toArgumentsText(item.arguments, budget)
    return args === item.arguments ? item : { ...item, arguments: args }
  }
  if (isPart(item)) return { role: 'user', content: [fitPart(item as Part, 'input_text')] }
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') return withOutput(item)
  if ((item.type !== undefined && item.type !== 'message') || !Array.isArray(item.content)) return item
  const textType = item.role === 'assistant' ? 'output_text' : 'input_text'
  const content = mapItems(item.content as Part[], (part) => fitPart(part, textType))
  return content === item.content ? item : { ...item, content }
}

function withoutNullMembers(item: Item): Item {
  const names = nonNullMembers.filter((name) => item[name] === null)
  if (names.length === 0) return item
  const rest = { ...item }
  for (const name of names) delete rest[name]
  return rest
}

const partTypes: ReadonlySet<unknown> = new Set(['text', 'input_text', 'image_url', 'input_image', 'input_file'])

/** Whether an item is the part of a message. Some clients send it without the message. */
const isPart = ({ type, role }: Item) => role === undefined && partTypes.has(type)

/** Fields that OpenAI refuses if they are null. */
const nonNullFields = ['tools', 'tool_choice', 'text', 'user', 'prompt_cache_key', 'safety_identifier'] as const

/** Removes fields that are null, which some clients send for settings without a value. */
export const skipNullFields: Repair = (body) => {
  const names = nonNullFields.filter((name) => body[name] === null)
  if (names.length === 0) return body
  const rest = { ...body }
  for (const name of names) delete rest[name]
  return rest
}

/** Converts a tool choice from the form of chats (`{ function: { name } }`) to that of responses (`{ name }`). */
export const fitToolChoice: Repair = (body) => {
  const { type, function: chosen } = (body.tool_choice ?? {}) as {
    type?: unknown
    function?: { name?: unknown } | null
  }
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
const foreignTypes: ReadonlySet<unknown> = new Set([
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
  if (foreignTypes.has(type)) return inputParts([toChatPart(part) as ContentPart])[0] ?? part
  if (type !== 'image_url' && type !== 'input_image') return part
  const { url, detail } = (typeof image === 'object' && image !== null ? image : {}) as {
    url?: unknown
    detail?: unknown
  }
  if (url === undefined && type === 'input_image') return part
  return { ...part, type: 'input_image', image_url: url ?? image, ...(detail !== undefined && { detail }) }
}
