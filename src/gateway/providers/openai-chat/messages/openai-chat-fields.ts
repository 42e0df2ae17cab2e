import { mapItems } from '#platform/json/map-texts.ts'
import { noteDropped } from '../../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../../protocol/repairs/repair.ts'
import type { Body } from '../../../protocol/request-body.ts'
import type { ChatCompatibility } from '../openai-chat-compatibility.ts'

type Message = { role?: unknown; content?: unknown; name?: unknown } & Body

/** Fields of messages that strict servers accept, plus the reasoning fields, which another repair handles. */
const acceptedFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'tool_call_id',
  'prefix',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
])

/** Whether strict servers refuse a field of a message. They accept `name` in tool messages only, and null as content only. */
function isRefusedField(message: Message, field: string): boolean {
  if (field === 'name') return message.role !== 'tool'
  return !acceptedFields.has(field) || (message[field] === null && field !== 'content')
}

/** Removes fields of messages that strict servers refuse. Programs add such fields to the messages that they store. */
export function unknownFieldRepair({ refusesUnknownFields = false }: ChatCompatibility): Repair {
  return (body, dropped) => {
    if (!refusesUnknownFields || !Array.isArray(body.messages)) return body
    const messages = mapItems(body.messages as Message[], (message) => {
      const refusedFields = Object.keys(message ?? {}).filter((field) => isRefusedField(message, field))
      if (refusedFields.length === 0) return message
      for (const field of refusedFields) if (message[field] != null) noteDropped(dropped, `messages.${field}`)
      return Object.fromEntries(Object.entries(message).filter(([field]) => !isRefusedField(message, field))) as Message
    })
    return messages === body.messages ? body : { ...body, messages }
  }
}

/** The characters that OpenAI refuses in the `name` of a message, and the longest name. */
const refusedCharacters = /[\s<|\\/>]+/g
const maxNameLength = 64

/** Replaces the characters of names that OpenAI refuses, and removes names that are null. */
export const fitNames: Repair = (body) => {
  if (!Array.isArray(body.messages)) return body
  const messages = mapItems(body.messages as Message[], (message) => {
    if (message?.name === null) return withoutNull(message, 'name')
    if (typeof message?.name !== 'string') return message
    const name = message.name.replaceAll(refusedCharacters, '_').slice(0, maxNameLength)
    return name === message.name ? message : { ...message, name }
  })
  return messages === body.messages ? body : { ...body, messages }
}

function withoutNull<T extends Body>(value: T, field: string): T {
  const { [field]: _null, ...rest } = value
  return rest as T
}

/** Removes the description of a function if it is null, which OpenAI refuses. */
export const removeNullDescriptions: Repair = (body) => {
  if (!Array.isArray(body.tools)) return body
  const tools = mapItems(body.tools as Body[], (tool) => {
    const fn = tool?.function as Body | null | undefined
    return fn?.description === null ? { ...tool, function: withoutNull(fn, 'description') } : tool
  })
  return tools === body.tools ? body : { ...body, tools }
}

/**
 * Removes cache breakpoints for servers that refuse them; such servers cache prompts without breakpoints. OpenAI accepts its own
 * field `prompt_cache_breakpoint`, which only servers that refuse unknown fields do not accept.
 */
export function cacheBreakpointRepair(compatibility: ChatCompatibility): Repair {
  const { refusesCacheBreakpoints = false, refusesUnknownFields = false } = compatibility
  const names = ['cache_control', ...(refusesUnknownFields ? ['prompt_cache_breakpoint'] : [])]
  return (body) => {
    if (!refusesCacheBreakpoints) return body
    const messages = withoutBreakpoints(body.messages, names)
    const tools = withoutBreakpoints(body.tools, names)
    if (messages === body.messages && tools === body.tools) return body
    return { ...body, messages, ...(tools !== undefined && { tools }) }
  }
}

/** The list without the breakpoints of its items, of their content and of their functions. */
function withoutBreakpoints(list: unknown, names: readonly string[]): unknown {
  if (!Array.isArray(list)) return list
  return mapItems(list as (Body | null)[], (item) => {
    if (typeof item !== 'object' || item === null) return item
    const content = withoutBreakpoints(item.content, names)
    // The function as a list of one item, which stays the same object if nothing is removed.
    const [fn] = withoutBreakpoints([item.function], names) as unknown[]
    const marks = names.filter((name) => name in item)
    if (marks.length === 0 && content === item.content && fn === item.function) return item
    const rest: Body = { ...item, ...(content !== undefined && { content }), ...(fn !== undefined && { function: fn }) }
    for (const name of marks) delete rest[name]
    return rest
  })
}
