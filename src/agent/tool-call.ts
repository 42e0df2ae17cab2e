import type { ToolCall } from './model/model.ts'
import type { Tool } from './tools/tool.ts'
import type { TurnEvent } from './turn-event.ts'

export const toolOf = (tools: Tool[], call: ToolCall) => tools.find((tool) => tool.name === call.name)

/** The event that announces a call before it runs. */
export function announcementOf(tools: Tool[], call: ToolCall): Extract<TurnEvent, { type: 'tool.asked' }> {
  const { id, name } = call
  const tool = toolOf(tools, call)
  const input = inputOf(call)
  const title = tool && input ? tool.title(input) : name
  const paths = (input && tool?.paths?.(input)) ?? []
  return { type: 'tool.asked', id, name, kind: tool?.kind ?? 'other', title, paths, input: input ?? call.arguments }
}

/** @returns the arguments as an object, or undefined when the model wrote something else. */
export function inputOf(call: ToolCall): Record<string, unknown> | undefined {
  try {
    const input = JSON.parse(call.arguments || '{}')
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : undefined
  } catch {
    return undefined
  }
}
