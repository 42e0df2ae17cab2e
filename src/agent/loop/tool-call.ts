import type { ToolCall } from '../model/model.ts'
import type { Tool } from '../tools/tool.ts'
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
  const read = readArguments(call)
  return typeof read === 'string' ? undefined : read
}

/** Why the arguments of a call are none. `cut`: the answer ended at the model's limit. */
export function whyNoInput(call: ToolCall, cut: boolean): string | undefined {
  const read = readArguments(call)
  if (cut && (typeof read === 'string' || call.arguments === ''))
    return (
      `The answer was cut off at the model's output limit, ${call.arguments.length} characters into the arguments of ` +
      `${call.name}; it was not run. Write less at once: change a part with edit_file or apply_patch, or make a file in several parts.`
    )
  return typeof read === 'string'
    ? `The arguments of ${call.name} are no JSON object: ${read}. Write them again.`
    : undefined
}

/** @returns what is wrong, where they are no object. */
function readArguments(call: ToolCall): Record<string, unknown> | string {
  const text = call.arguments || '{}'
  const plain = parsed(text)
  const read = plain instanceof SyntaxError ? parsed(escaped(text)) : plain
  if (read instanceof SyntaxError) return near(text, plain as SyntaxError)
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return 'they are another value'
  return read as Record<string, unknown>
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

/** Line breaks and tabs within a string, which models write as they are: they can mean nothing else. */
function escaped(text: string): string {
  const names: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
  // One that has no end goes on to the end: else each of a thousand quotes would be looked through to there.
  return text.replace(/"(?:[^"\\]|\\.)*(?:"|$)/gs, (string) => string.replace(/[\n\r\t]/g, (sign) => names[sign]!))
}

/** The reason, and the place that it is about. */
function near(text: string, { message }: SyntaxError): string {
  const place = /position (\d+)/.exec(message)?.[1]
  if (place === undefined) return `${message.slice(0, 120)}`
  const at = Number(place)
  const reason = message.replace(/ in JSON at position.*$/s, '')
  return `${reason} at position ${at}, after ${JSON.stringify(text.slice(Math.max(0, at - 40), at))}`
}
