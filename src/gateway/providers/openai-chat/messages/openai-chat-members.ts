import { mapItems } from '#platform/json/map-texts.ts'
import type { Body } from '../../../protocol/protocol.ts'
import { noteDropped } from '../../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../../protocol/repairs/repair.ts'
import type { ChatCompatibility } from '../openai-chat-compatibility.ts'

type Message = { role?: unknown; content?: unknown; name?: unknown } & Body

/** The members of messages that servers which refuse unknown members know, and reasoning, which has an own repair. */
const knownMembers: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'tool_calls',
  'tool_call_id',
  'prefix',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
])

/** Whether a server that refuses unknown members refuses this one. It also refuses null, except as content. */
function isRefusedMember(message: Message, name: string): boolean {
  if (name === 'name') return message.role !== 'tool'
  return !knownMembers.has(name) || (message[name] === null && name !== 'content')
}

/** Removes members of messages that the server does not know: names, null, and those that programs add to stored messages. */
export function memberRepair({ refusesMembers = false }: ChatCompatibility): Repair {
  return (body, dropped) => {
    if (!refusesMembers || !Array.isArray(body.messages)) return body
    const messages = mapItems(body.messages as Message[], (message) => {
      const refusedNames = Object.keys(message ?? {}).filter((name) => isRefusedMember(message, name))
      if (refusedNames.length === 0) return message
      for (const name of refusedNames) if (message[name] != null) noteDropped(dropped, `messages.${name}`)
      return Object.fromEntries(Object.entries(message).filter(([name]) => !isRefusedMember(message, name))) as Message
    })
    return messages === body.messages ? body : { ...body, messages }
  }
}

/** The characters that OpenAI refuses in the name of a user or an answer, and the longest name. */
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

function withoutNull<T extends Body>(holder: T, name: string): T {
  const { [name]: _null, ...rest } = holder
  return rest as T
}

/** Removes the description of a function if it is null, which OpenAI refuses. */
export const skipNullDescriptions: Repair = (body) => {
  if (!Array.isArray(body.tools)) return body
  const tools = mapItems(body.tools as Body[], (tool) => {
    const called = tool?.function as Body | null | undefined
    return called?.description === null ? { ...tool, function: withoutNull(called, 'description') } : tool
  })
  return tools === body.tools ? body : { ...body, tools }
}

/** Removes cache breakpoints, which belong to Anthropic, for servers that refuse them. They cache without. */
export function cacheBreakpointRepair({ refusesCacheBreakpoints = false }: ChatCompatibility): Repair {
  return (body) => {
    if (!refusesCacheBreakpoints) return body
    const messages = withoutBreakpoints(body.messages)
    const tools = withoutBreakpoints(body.tools)
    if (messages === body.messages && tools === body.tools) return body
    return { ...body, messages, ...(tools !== undefined && { tools }) }
  }
}

/** The list without the breakpoints of its items, of their content and of their functions. */
function withoutBreakpoints(list: unknown): unknown {
  if (!Array.isArray(list)) return list
  return mapItems(list as (Body | null)[], (item) => {
    if (typeof item !== 'object' || item === null) return item
    const content = withoutBreakpoints(item.content)
    const [called] = withoutBreakpoints([item.function]) as unknown[]
    if (!('cache_control' in item) && content === item.content && called === item.function) return item
    const { cache_control: _breakpoint, ...rest } = item
    return { ...rest, ...(content !== undefined && { content }), ...(called !== undefined && { function: called }) }
  })
}
