import { nonEmptyText } from '#platform/core/non-empty-text.ts'
import { readContentText } from './content.ts'
import { readUnavailableServer, type UnavailableServer } from './mcp-servers.ts'
import { readModel } from './model.ts'
import { readProperty } from './rpc-message.ts'
import { readTerminalOutput } from './tool-calls/tool-call.ts'

/**
 * A `session/update` in the form that this client needs. `other` is any further activity of the turn, also of an unknown
 * kind. `ignored` belongs to the session, not to a turn, so it can arrive at any time, also without any work of the agent.
 */
export type AgentUpdate =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** `call` is the call as the agent sent it (read by `readToolCall` in `tool-call.ts`). `output` is the next piece of its output. */
  | {
      type: 'tool'
      id: string
      call: unknown
      output?: string | undefined
      unavailableServer?: UnavailableServer | undefined
    }
  | { type: 'plan'; steps: PlanStep[] }
  | { type: 'model'; model: string }
  /** The cost of the session since its start, in USD. */
  | { type: 'cost'; totalUsd: number }
  | { type: 'other' }
  | { type: 'ignored' }

type PlanStep = { text: string; status: string; priority?: string }

const otherUpdate: AgentUpdate = { type: 'other' }
const ignoredUpdate: AgentUpdate = { type: 'ignored' }

/** Reads a `session/update` of the agent. */
export function readUpdate(update: unknown): AgentUpdate {
  switch (readProperty(update, 'sessionUpdate')) {
    case 'agent_message_chunk':
      return readChunk('text', update)
    case 'agent_thought_chunk':
      return readChunk('reasoning', update)
    case 'tool_call':
    case 'tool_call_update': {
      const id = nonEmptyText(readProperty(update, 'toolCallId'))
      if (!id) return otherUpdate
      const output = readTerminalOutput(update)
      return { type: 'tool', id, call: update, output, unavailableServer: readUnavailableServer(update) }
    }
    case 'plan':
      return { type: 'plan', steps: readPlan(readProperty(update, 'entries')) }
    case 'config_option_update': {
      const model = readModel(readProperty(update, 'configOptions'))
      return model ? { type: 'model', model } : ignoredUpdate
    }
    case 'usage_update': {
      const cost = readProperty(update, 'cost')
      const totalUsd = readProperty(cost, 'currency') === 'USD' ? readProperty(cost, 'amount') : undefined
      // JSON can have a number such as 1e999, which is infinite.
      return typeof totalUsd === 'number' && Number.isFinite(totalUsd) && totalUsd >= 0
        ? { type: 'cost', totalUsd }
        : ignoredUpdate
    }
    case 'available_commands_update':
    case 'current_mode_update':
    case 'session_info_update':
      return ignoredUpdate
    default:
      return otherUpdate
  }
}

function readChunk(type: 'text' | 'reasoning', update: unknown): AgentUpdate {
  const text = readContentText(readProperty(update, 'content'))
  return text ? { type, text } : otherUpdate
}

function readPlan(entries: unknown): PlanStep[] {
  const steps: PlanStep[] = []
  for (const entry of Array.isArray(entries) ? entries : []) {
    const text = nonEmptyText(readProperty(entry, 'content'))
    const status = nonEmptyText(readProperty(entry, 'status')) ?? 'pending'
    const priority = nonEmptyText(readProperty(entry, 'priority'))
    if (text) steps.push({ text, status, ...(priority && { priority }) })
  }
  return steps
}
