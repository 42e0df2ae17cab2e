import { JsonParseQuota } from '#platform/json/json-text/json-parse-quota.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import { noteDropped } from '../../../protocol/repairs/dropped-fields.ts'
import type { Repair } from '../../../protocol/repairs/repair.ts'
import type { Body } from '../../../protocol/request-body.ts'
import { toArgumentsText } from '../../../protocol/tool-calls/tool-arguments.ts'
import { readRefusalOrSpeech } from '../../content.ts'
import type { ChatCompatibility } from '../openai-chat-compatibility.ts'

type Call = { type?: unknown; function?: { arguments?: unknown } } & Body
type Message = { role?: unknown; content?: unknown; tool_calls?: unknown; refusal?: unknown } & Body

/** Fields of responses that clients return in the conversation, and that only OpenAI accepts in requests. */
const responseFields = ['refusal', 'annotations', 'images', 'audio', 'function_call'] as const

/** Creates the repair that adapts the fields of earlier responses to the server. */
export function assistantMessageRepair({
  acceptsResponseFields = false,
  hasBuiltinFunctions = false,
}: ChatCompatibility): Repair {
  const types: ReadonlySet<unknown> = new Set(['function', ...(hasBuiltinFunctions ? ['builtin_function'] : [])])
  return (body, dropped) => {
    if (!Array.isArray(body.messages)) return body
    const quota = new JsonParseQuota()
    const messages = mapItems(body.messages as Message[], (message) => {
      if (message?.role !== 'assistant') return message
      const fitted = withCalls(message, types, quota)
      return acceptsResponseFields
        ? withEmptyContent(fitted)
        : withContent(withTextRefusals(withoutResponseFields(fitted, dropped)))
    })
    return messages === body.messages ? body : { ...body, messages }
  }
}

/**
 * The message without an empty list of calls, which servers refuse, and with calls whose arguments are an object, as templates
 * of models read them. Arguments that exceed the quota are not checked.
 */
function withCalls(message: Message, types: ReadonlySet<unknown>, quota: JsonParseQuota): Message {
  const { tool_calls: calls } = message
  if (calls === undefined) return message
  if (!Array.isArray(calls) || calls.length === 0) return withoutCalls(message)
  const fitted = mapItems(calls as Call[], (call) => withObjectArguments(call, types, quota))
  return fitted === calls ? message : { ...message, tool_calls: fitted }
}

function withoutCalls({ tool_calls: _calls, ...rest }: Message): Message {
  return rest
}

function withObjectArguments(call: Call, types: ReadonlySet<unknown>, quota: JsonParseQuota): Call {
  const { function: called, type } = call ?? {}
  if (typeof called !== 'object' || called === null) return call
  const args = toArgumentsText(called.arguments, quota)
  if (args === called.arguments && types.has(type) && call.index === undefined) return call
  // Clients that join the fragments of a stream return the index of the call, which Cerebras and others refuse.
  const { index: _index, ...rest } = call
  return {
    ...rest,
    type: types.has(type) ? type : 'function',
    function: args === called.arguments ? called : { ...called, arguments: args },
  }
}

function withoutResponseFields(message: Message, dropped: string[]): Message {
  if (!responseFields.some((name) => name in message)) return message
  const rest: Message = { ...message }
  for (const name of responseFields) {
    const value = rest[name]
    delete rest[name]
    const isEmpty = value == null || (Array.isArray(value) && value.length === 0)
    if (!isEmpty && name !== 'refusal') noteDropped(dropped, `messages.${name}`)
  }
  const words = rest.content ? undefined : readRefusalOrSpeech(message)
  return words === undefined ? rest : { ...rest, content: words }
}

/** The message with its refusals as text, which other servers than OpenAI's do not have as a part. */
function withTextRefusals(message: Message): Message {
  if (!Array.isArray(message.content)) return message
  const content = mapItems(message.content as Body[], (part) =>
    part?.type === 'refusal' && typeof part.refusal === 'string' ? { type: 'text', text: part.refusal } : part,
  )
  return content === message.content ? message : { ...message, content }
}

/** The message with an empty text if it has neither text nor calls. Servers refuse such a response. */
function withContent(message: Message): Message {
  return message.content == null && message.tool_calls === undefined ? { ...message, content: '' } : message
}

/** The fields that a response without text can have instead, for servers that accept them. */
const contentFields = ['tool_calls', 'function_call', 'refusal', 'audio'] as const

/** Gives an empty response an empty text, for servers that accept the fields of responses. */
function withEmptyContent(message: Message): Message {
  const isEmpty = message.content == null && contentFields.every((name) => message[name] == null)
  return isEmpty ? { ...message, content: '' } : message
}

/** Marks a prefilled response, and separates a user message from the tool results before it, for servers that need it. */
export function messageOrderRepair({ prefillField, refusesUserAfterToolResult = false }: ChatCompatibility): Repair {
  return (body) => {
    if (!Array.isArray(body.messages) || !(prefillField || refusesUserAfterToolResult)) return body
    const original = body.messages as Message[]
    const messages = refusesUserAfterToolResult
      ? original.flatMap((message, at) => withSeparator(message, original[at - 1]))
      : original
    const last = messages.at(-1)
    const isPrefilled = prefillField !== undefined && last?.role === 'assistant'
    return { ...body, messages: isPrefilled ? [...messages.slice(0, -1), { [prefillField]: true, ...last }] : messages }
  }
}

/** The message, with a response before it if it is a user message after a tool result. */
const withSeparator = (message: Message, before: Message | undefined): Message[] =>
  message?.role === 'user' && before?.role === 'tool' ? [{ role: 'assistant', content: 'OK.' }, message] : [message]

/** Renames or removes fields of the body, and the options of tools if there are none. */
export function fieldRepair({ renamedFields = {}, refusedFields = [] }: ChatCompatibility): Repair {
  const refusedNames: ReadonlySet<string> = new Set(refusedFields)
  return (body, dropped) => {
    const hasTools = Array.isArray(body.tools) && body.tools.length > 0
    const hasFunctions = Array.isArray(body.functions) && body.functions.length > 0
    const isRemoved = (name: string) =>
      refusedNames.has(name) ||
      (!hasTools && toolOptions.has(name)) ||
      (!hasFunctions && name === 'function_call') ||
      (optionalLists.has(name) && isEmpty(body[name]))
    if (!hasName(body, (name) => isRemoved(name) || Object.hasOwn(renamedFields, name))) return body
    const rest: Body = {}
    for (const name in body) {
      const value = body[name]
      if (!isRemoved(name)) rest[Object.hasOwn(renamedFields, name) ? renamedFields[name]! : name] = value
      else if (value != null && value !== 0 && value !== false && refusedNames.has(name)) noteDropped(dropped, name)
    }
    return rest
  }
}

/** Skips empty stop sequences, which some servers refuse and others find at the start of each response. */
export const skipEmptyStops: Repair = (body, dropped) => {
  const { stop } = body
  if (stop !== '' && !(Array.isArray(stop) && stop.includes(''))) return body
  noteDropped(dropped, 'stop')
  const { stop: _stop, ...rest } = body
  const remaining = Array.isArray(stop) ? stop.filter((sequence) => sequence !== '') : []
  return remaining.length > 0 ? { ...rest, stop: remaining } : rest
}

/** Limits the temperature, and the number of stop sequences, to what the server accepts. */
export function rangeRepair({ maxStops, maxTemperature }: ChatCompatibility): Repair {
  return (body, dropped) => {
    const { stop, temperature } = body
    const isLong = maxStops !== undefined && Array.isArray(stop) && stop.length > maxStops
    const isHot = maxTemperature !== undefined && typeof temperature === 'number' && temperature > maxTemperature
    if (!isLong && !isHot) return body
    if (isLong) noteDropped(dropped, 'stop')
    return {
      ...body,
      ...(isLong && { stop: stop.slice(0, maxStops) }),
      ...(isHot && { temperature: maxTemperature }),
    }
  }
}

/** Fields that servers refuse in a request without tools. */
const toolOptions: ReadonlySet<string> = new Set(['tool_choice', 'parallel_tool_calls'])
/** Lists that servers refuse if they are empty. */
const optionalLists: ReadonlySet<string> = new Set(['tools', 'stop', 'functions'])
const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0

function hasName(body: Body, matches: (name: string) => boolean): boolean {
  for (const name in body) if (matches(name)) return true
  return false
}
