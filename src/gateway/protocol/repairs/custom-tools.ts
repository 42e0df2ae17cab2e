import type { ChatRequest, ChatTool } from '#chat/chat-request.ts'
import type { CompletionEvent } from '#chat/events.ts'
import type { Message, ToolCall } from '#chat/message.ts'
import { JsonExtent } from '#platform/core/json-extent.ts'
import { mapItems } from '#platform/json/map-texts.ts'
import type { ProviderProtocol } from '../provider-protocol.ts'
import { mapCompletionEvents } from './map-completion-events.ts'

type CustomTool = { name?: string; description?: string | null; format?: { type?: string; grammar?: Grammar } | null }
type Grammar = { syntax?: string; definition?: string }

/** Whether a tool is called with free text instead of JSON. */
export const isCustomTool = (tool: ChatTool | null) => tool?.type === 'custom' && 'custom' in tool

/**
 * Replaces custom tools by functions, for servers without custom tools. The text of a call becomes the argument `input`.
 * `customTools` has the names of the replaced tools; undefined if the chat has none.
 */
export function withFunctionTools(chat: ChatRequest): { chat: ChatRequest; customTools?: ReadonlySet<string> } {
  const custom = chat.tools?.filter(isCustomTool) ?? []
  const messages = mapItems(chat.messages, convertCalls)
  if (custom.length === 0) return { chat: messages === chat.messages ? chat : { ...chat, messages } }
  const customTools = new Set(custom.map((tool) => (tool as { custom: CustomTool }).custom.name ?? ''))
  const tools = chat.tools!.map((tool) =>
    isCustomTool(tool) ? toFunctionTool((tool as { custom: CustomTool }).custom) : tool,
  )
  return { chat: { ...chat, tools, messages, ...convertToolChoice(chat.tool_choice) } as ChatRequest, customTools }
}

/** The function in place of a custom tool, in the chat format. */
export function toFunctionTool({ name, description, format }: CustomTool) {
  const { syntax, definition } = format?.grammar ?? {}
  const syntaxNote = syntax ? ` (${syntax})` : ''
  const grammar = definition ? `The input must match this grammar${syntaxNote}:\n${definition}` : ''
  const parameters = {
    type: 'object',
    properties: { input: { type: 'string', description: 'The input of the tool, as plain text.' } },
    required: ['input'],
    additionalProperties: false,
  }
  const text = [description, grammar].filter(Boolean).join('\n\n')
  return { type: 'function', function: { name, ...(text && { description: text }), parameters } }
}

function convertToolChoice(choice: unknown): object {
  const { type, custom } = (typeof choice === 'object' && choice !== null ? choice : {}) as {
    type?: string
    custom?: { name?: string }
  }
  return type === 'custom' ? { tool_choice: { type: 'function', function: { name: custom?.name } } } : {}
}

function convertCalls(message: Message): Message {
  if (message.role !== 'assistant' || !message.tool_calls?.some((call) => 'custom' in call)) return message
  return { ...message, tool_calls: message.tool_calls.map(convertCall) }
}

function convertCall(call: ToolCall): ToolCall {
  const { id, custom } = call as ToolCall & { custom?: { name?: string; input?: string } }
  if (!custom) return call
  const args = JSON.stringify({ input: custom.input ?? '' })
  return { id, type: 'function', function: { name: custom.name, arguments: args } } as ToolCall
}

/** Wraps a protocol, so that calls of functions in `tools` become calls of custom tools, with their text. */
export function withCustomCalls(protocol: ProviderProtocol, tools: ReadonlySet<string>): ProviderProtocol {
  return mapCompletionEvents(protocol, () => {
    const calls = new CustomCalls(tools)
    return (event) => calls.take(event)
  })
}

type CustomCall = { json: string; extent: JsonExtent; isEnded: boolean }

class CustomCalls {
  readonly #tools: ReadonlySet<string>
  readonly #callsByIndex = new Map<number, CustomCall>()

  constructor(tools: ReadonlySet<string>) {
    this.#tools = tools
  }

  take(event: CompletionEvent): CompletionEvent[] {
    if (event.type === 'tool_call' && this.#tools.has(event.name)) {
      this.#callsByIndex.set(event.index, { json: '', extent: new JsonExtent(), isEnded: false })
      return [{ ...event, custom: true }]
    }
    if (event.type === 'tool_arguments') return this.#add(event.index, event.text) ?? [event]
    return event.type === 'finish' ? [...this.#endAll(), event] : [event]
  }

  /** Adds arguments of a call. Returns undefined for a call of another tool. Emits the text when the arguments are complete. */
  #add(index: number, text: string): CompletionEvent[] | undefined {
    const call = this.#callsByIndex.get(index)
    if (!call) return undefined
    // Only white space can follow the end of the JSON.
    if (call.isEnded) return []
    call.json += text
    call.extent.push(text)
    return call.extent.isComplete ? this.#end(index, call) : []
  }

  #end(index: number, call: CustomCall): CompletionEvent[] {
    call.isEnded = true
    return [{ type: 'tool_arguments', index, text: readInput(call.json) }]
  }

  /** Ends the calls whose arguments are incomplete, because the response ended at its limit. */
  #endAll(): CompletionEvent[] {
    return [...this.#callsByIndex].flatMap(([index, call]) =>
      call.isEnded || call.json === '' ? [] : this.#end(index, call),
    )
  }
}

/** Reads the text in the arguments, or its start if they are truncated. Returns other arguments unchanged. */
function readInput(json: string): string {
  // Truncated arguments get the missing end of the JSON. A truncated escape is removed first.
  for (const candidate of [json, `${json}"}`, `${json.replace(/\\[^\\"]{0,5}$/, '')}"}`]) {
    try {
      const { input } = JSON.parse(candidate) as { input?: unknown }
      if (typeof input === 'string') return input
      if (candidate === json) return json
    } catch {
      // The arguments are truncated.
    }
  }
  return json
}
