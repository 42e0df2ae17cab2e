import type { ContentPart, Message, ToolCall } from '#chat/message.ts'
import { decodeThought } from '#chat/thought-encoding.ts'
import { type ReasoningDetail, toReasoningDetails } from '#chat/thoughts.ts'
import { Fault } from '#platform/core/fault.ts'
import { pushAll } from '#platform/core/push-all.ts'
import type { FlatTools, Tool } from '../flat-tools.ts'
import {
  type Item,
  isCallOutput,
  isGeneratedImage,
  isHostedToolCall,
  isToolSearchCall,
  isToolSearchOutput,
  partTypes,
} from './input-items.ts'
import { type Part, toContent } from './input-parts.ts'

type Assistant = {
  role: 'assistant'
  content: ContentPart[] | null
  tool_calls?: ToolCall[]
  reasoning_details?: ReasoningDetail[]
  images?: object[]
}

/** Translates input items to messages. Consecutive reasoning, text and calls of the model become one message. */
export function toMessages(instructions: unknown, input: unknown, flatTools: FlatTools): Message[] {
  const messages: Message[] = []
  if (typeof instructions === 'string' && instructions) messages.push({ role: 'system', content: instructions })
  if (typeof input === 'string') {
    if (input) messages.push({ role: 'user', content: input })
    return messages
  }
  const items = (input ?? []) as Item[]
  const skippedCallIds = new Set(items.filter(isHostedToolCall).map(({ call_id }) => call_id))
  for (const [index, item] of items.entries())
    if (!isCallOutput(item) || !skippedCallIds.has(item.call_id)) addItem(messages, item, `input.${index}`, flatTools)
  return messages
}

/** Items of unknown types belong to a provider and are skipped for other protocols. */
function addItem(messages: Message[], item: Item, path: string, flatTools: FlatTools): void {
  const type = item.type ?? 'message'
  if (type === 'item_reference')
    throw new Fault(
      'invalid',
      `${path}: this service stores no responses. Send the item itself instead of a reference. With @ai-sdk/openai, set providerOptions.openai.store to false.`,
    )
  if (type === 'message') return addMessage(messages, item, path)
  if (type === 'reasoning') return addThought(messages, item, path)
  if (type === 'function_call') {
    const call = { id: requireText(item, 'call_id', path), type: 'function' as const }
    const name = flatTools.findFlatName(requireText(item, 'name', path), item.namespace)
    const functionCall = { name, arguments: readArguments(item, path) }
    addCall(messages, { ...call, function: functionCall })
  }
  if (isGeneratedImage(item)) addImage(messages, item)
  if (partTypes.has(type)) messages.push({ role: 'user', content: toContent([item], path) })
  if (isToolSearchCall(item)) {
    const functionCall = { name: type.slice(0, -'_call'.length), arguments: readArguments(item, path) }
    addCall(messages, { id: requireText(item, 'call_id', path), type: 'function' as const, function: functionCall })
  }
  if (isToolSearchOutput(item)) {
    const content = JSON.stringify({ tools: describeFoundTools(item.tools, flatTools) })
    messages.push({ role: 'tool', tool_call_id: requireText(item, 'call_id', path), content })
  }
  if (type === 'custom_tool_call') {
    const custom = { name: requireText(item, 'name', path), input: requireText(item, 'input', path) }
    addCall(messages, { id: requireText(item, 'call_id', path), type: 'custom' as const, custom })
  }
  if (isCallOutput(item)) {
    const content = toContent(readOutput(item.output), `${path}.output`)
    messages.push({ role: 'tool', tool_call_id: requireText(item, 'call_id', path), content })
  }
}

/** The tools that a search found, which the model can call from now on. Their schemas are declared with the other tools. */
function describeFoundTools(tools: unknown, flatTools: FlatTools): object[] {
  return ((Array.isArray(tools) ? tools : []) as (Tool | null)[]).flatMap((tool) => {
    const { type, name, description, tools: functions } = tool ?? {}
    if (type !== 'namespace') return name === undefined ? [] : [{ name, description }]
    return (functions as Tool[]).map((declared) => ({
      name: flatTools.findFlatName(String(declared.name), name),
      description: declared.description,
    }))
  })
}

/** Some clients send the object instead of its JSON. */
function readArguments(item: Item, path: string): string {
  const { arguments: args } = item as { arguments?: unknown }
  return typeof args === 'object' && args !== null ? JSON.stringify(args) : requireText(item, 'arguments', path)
}

function readOutput(output: unknown): string | Part[] {
  if (output == null) return ''
  return typeof output === 'object' && !Array.isArray(output) ? JSON.stringify(output) : (output as string | Part[])
}

function addCall(messages: Message[], call: ToolCall): void {
  const assistant = lastAssistant(messages)
  assistant.tool_calls ??= []
  assistant.tool_calls.push(call)
}

function addImage(messages: Message[], { result, output_format: format }: Item): void {
  const assistant = lastAssistant(messages)
  assistant.images ??= []
  const image = String(result)
  const type = typeof format === 'string' && /^\w+$/.test(format) ? format : 'png'
  const url = /^https?:/.test(image) ? image : `data:image/${type};base64,${image}`
  assistant.images.push({ type: 'image_url', image_url: { url } })
}

const inputRoles = ['system', 'developer', 'user'] as const
function addMessage(messages: Message[], item: Item, path: string): void {
  const content = toContent(item.content ?? '', `${path}.content`)
  if (item.role === 'assistant') {
    const assistant = lastAssistant(messages)
    const parts: ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    assistant.content ??= []
    pushAll(assistant.content, parts)
    return
  }
  const role = inputRoles.find((name) => name === item.role)
  if (role === undefined)
    throw new Fault('invalid', `${path}.role: must be "system", "developer", "user" or "assistant".`)
  messages.push({ role, content })
}

function addThought(messages: Message[], item: Item, path: string): void {
  const { id, summary, content, encrypted_content: encoded } = item
  if (encoded != null && typeof encoded !== 'string')
    throw new Fault('invalid', `${path}.encrypted_content: must be text.`)
  const texts = [
    ...readTexts(summary, `${path}.summary`),
    ...(summary?.length ? [] : readTexts(content, `${path}.content`)),
  ]
  const metadata = encoded ? decodeThought(encoded, id) : undefined
  if (!metadata) return
  const assistant = lastAssistant(messages)
  assistant.reasoning_details ??= []
  const text = texts.join('\n\n')
  pushAll(assistant.reasoning_details, toReasoningDetails({ text, ...metadata }, assistant.reasoning_details.length))
}

function readTexts(parts: unknown, path: string): string[] {
  if (parts == null) return []
  if (!Array.isArray(parts)) throw new Fault('invalid', `${path}: must be an array of parts.`)
  return parts.map((part: { text?: unknown } | null, index) => {
    if (typeof part !== 'object' || part === null) throw new Fault('invalid', `${path}.${index}: must be an object.`)
    if (part.text != null && typeof part.text !== 'string')
      throw new Fault('invalid', `${path}.${index}.text: must be text.`)
    return part.text ?? ''
  })
}

/** The assistant message at the end of the list. Appends an empty one if the last message has another role. */
function lastAssistant(messages: Message[]): Assistant {
  const last = messages.at(-1)
  if (last?.role === 'assistant') return last as Assistant
  const assistant: Assistant = { role: 'assistant', content: null }
  messages.push(assistant)
  return assistant
}

function requireText(item: Item, name: 'call_id' | 'name' | 'arguments' | 'input', path: string): string {
  const value = item[name]
  if (typeof value !== 'string') throw new Fault('invalid', `${path}.${name}: is required, and must be text.`)
  return value
}
