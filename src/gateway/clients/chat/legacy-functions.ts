import type { ChatRequest } from '#chat/chat-request.ts'
import type { Body } from '../../protocol/request-body.ts'

type Call = { name?: unknown; arguments?: unknown }
type Tool = { type?: unknown; function?: Body | null }
type Message = { role?: unknown; tool_calls?: unknown; function_call?: Call | null } & Body

/** Whether a client offers tools in `functions`, the predecessor of `tools`, and so expects calls in `function_call`. */
export function usesLegacyFunctions(body: Body | undefined): boolean {
  const hasTools = Array.isArray(body?.tools) && (body.tools as Tool[]).some(isClientTool)
  return Array.isArray(body?.functions) && body.functions.length > 0 && !hasTools
}

/** Whether the client runs a tool. The server runs the others. */
const isClientTool = (tool: Tool | null) => tool?.function != null || tool?.type === 'custom'

/**
 * Moves the functions that a preset added to `tools` into the `functions` of the client, because no provider accepts both. A
 * function of the client replaces one of the same name. Custom tools are omitted: `function_call` cannot express their calls.
 */
export function movePresetFunctions(filledBody: Body, clientBody: Body): Body {
  const { tools, ...rest } = filledBody
  if (!Array.isArray(tools) || !usesLegacyFunctions(clientBody)) return filledBody
  const functions = clientBody.functions as Body[]
  const names = new Set(functions.map(({ name }) => name))
  const added = (tools as Tool[]).flatMap(({ function: definition }) =>
    definition && !names.has(definition.name) ? [definition] : [],
  )
  const others = (tools as Tool[]).filter((tool) => !isClientTool(tool))
  return { ...rest, functions: [...added, ...functions], ...(others.length > 0 && { tools: others }) }
}

/** Whether a body has `functions`, or a message with `function_call`. */
export function hasLegacyFunctions(body: Body): boolean {
  if (body.functions != null) return true
  return Array.isArray(body.messages) && (body.messages as Message[]).some((message) => message?.function_call != null)
}

/** Replaces `functions`, `function_call` and the calls of earlier responses by tools and tool calls. */
export function translateLegacyFunctions(body: Body): ChatRequest {
  const { functions, function_call: choice, ...rest } = body
  const messages = Array.isArray(body.messages) ? (body.messages as Message[]).map(withToolCall) : body.messages
  if (!usesLegacyFunctions(body)) return { ...body, messages } as ChatRequest
  const otherTools = (body.tools ?? []) as Tool[]
  const tools = [
    ...(functions as Body[]).map((definition) => ({ type: 'function', function: definition })),
    ...otherTools,
  ]
  const tool_choice = isNamed(choice)
    ? { type: 'function', function: { name: choice.name } }
    : (choice ?? body.tool_choice)
  // Clients of `functions` expect at most one call in a response.
  return { ...rest, messages, tools, tool_choice: tool_choice ?? undefined, parallel_tool_calls: false } as ChatRequest
}

const isNamed = (choice: unknown): choice is { name: string } => typeof choice === 'object' && choice !== null

function withToolCall(message: Message, at: number): Message {
  const { function_call: functionCall, ...rest } = message ?? {}
  const hasCalls = Array.isArray(rest.tool_calls) && rest.tool_calls.length > 0
  if (message?.role !== 'assistant' || functionCall == null || hasCalls) return message
  const { name, arguments: rawArguments = '{}' } = functionCall
  const args = typeof rawArguments === 'string' ? rawArguments : JSON.stringify(rawArguments)
  const call = { id: `call_function_${at}`, type: 'function', function: { name, arguments: args } }
  return { ...rest, tool_calls: [call] }
}

/** The finish reason of a response with a call in `function_call`. */
export const legacyFinishReason = 'function_call'
