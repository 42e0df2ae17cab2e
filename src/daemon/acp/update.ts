import { member } from './connection.ts'
import { modelOf } from './model.ts'

/**
 * A `session/update` as this client needs it. `other` is any further sign of work on the turn, also of an unknown kind.
 * An `aside` is about the session and may come at any time.
 */
export type AgentUpdate =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool'; id: string; tool: ToolCall }
  | { type: 'model'; model: string }
  /** The cost of the session since it began, in USD. */
  | { type: 'cost'; totalUsd: number }
  | { type: 'other' }
  | { type: 'aside' }

/** The facts about a tool call that the agent has sent so far. */
export type ToolCall = { name?: string; title?: string; command?: string }

const other: AgentUpdate = { type: 'other' }
const aside: AgentUpdate = { type: 'aside' }

export function readUpdate(update: unknown): AgentUpdate {
  switch (member(update, 'sessionUpdate')) {
    case 'agent_message_chunk':
      return readChunk('text', update)
    case 'agent_thought_chunk':
      return readChunk('reasoning', update)
    case 'tool_call':
    case 'tool_call_update': {
      const id = string(member(update, 'toolCallId'))
      return id ? { type: 'tool', id, tool: readToolCall(update) } : other
    }
    case 'config_option_update': {
      const model = modelOf(member(update, 'configOptions'))
      return model ? { type: 'model', model } : aside
    }
    case 'usage_update': {
      const cost = member(update, 'cost')
      const totalUsd = member(cost, 'currency') === 'USD' ? member(cost, 'amount') : undefined
      return typeof totalUsd === 'number' && totalUsd >= 0 ? { type: 'cost', totalUsd } : aside
    }
    case 'available_commands_update':
    case 'current_mode_update':
    case 'session_info_update':
      return aside
    default:
      return other
  }
}

function readChunk(type: 'text' | 'reasoning', update: unknown): AgentUpdate {
  const content = member(update, 'content')
  const text = member(content, 'type') === 'text' ? string(member(content, 'text')) : undefined
  return text ? { type, text } : other
}

/** Members that are absent say nothing new. The command is where agents put it: in the input, or as JSON in the text. */
export function readToolCall(call: unknown): ToolCall {
  const name = string(member(call, 'name'))
  const title = string(member(call, 'title'))
  const command = commandOf(member(call, 'rawInput')) ?? commandInContent(member(call, 'content'))
  return { ...(name && { name }), ...(title && { title }), ...(command && { command }) }
}

function commandOf(input: unknown): string | undefined {
  const command = member(input, 'command') ?? member(input, 'cmd')
  return Array.isArray(command) ? command.map(String).join(' ') : string(command)
}

function commandInContent(content: unknown): string | undefined {
  for (const item of Array.isArray(content) ? content : []) {
    const text = string(member(member(item, 'content'), 'text'))
    if (!text?.trimStart().startsWith('{')) continue
    try {
      return commandOf(JSON.parse(text))
    } catch {
      // Text that only looks like the arguments of a call.
    }
  }
  return undefined
}

const string = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
