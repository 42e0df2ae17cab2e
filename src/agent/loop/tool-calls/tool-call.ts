import type { ToolCall } from '../../model/model.ts'
import type { Tool } from '../../tools/tool.ts'
import type { AgentEvent } from '../agent-event.ts'

export const findTool = (tools: Tool[], call: ToolCall) => tools.find((tool) => tool.name === call.name)

/** Returns the event that announces a call before it runs. Its input is the text of the model if that is not a JSON object. */
export function toCallEvent(tools: Tool[], call: ToolCall): Extract<AgentEvent, { type: 'tool.called' }> {
  const { id, name } = call
  const tool = findTool(tools, call)
  const input = parseInput(call)
  const title = tool && input ? tool.title(input) : name
  const paths = (input && tool?.paths?.(input)) ?? []
  return { type: 'tool.called', id, name, kind: tool?.kind ?? 'other', title, paths, input: input ?? call.arguments }
}

/** @returns the arguments as an object, or undefined when the model wrote something else. */
export function parseInput(call: ToolCall): Record<string, unknown> | undefined {
  return readArguments(call).input
}

/**
 * @returns the arguments as an object. @throws Error, for the model, that explains why they are invalid.
 * `isTruncated`: the response ended at the model's output limit.
 */
export function requireInput(call: ToolCall, isTruncated: boolean): Record<string, unknown> {
  const { input, problem } = readArguments(call)
  if (isTruncated && (problem !== undefined || call.arguments === ''))
    throw new Error(
      `The answer was cut off at the model's output limit, ${call.arguments.length} characters into the arguments of ` +
        `${call.name}; it was not run. Write less at once: change a part with edit_file or apply_patch, or create a file in several steps.`,
    )
  if (problem !== undefined)
    throw new Error(`The arguments of ${call.name} are not a JSON object: ${problem}. Send them again.`)
  return input
}

type ReadArguments = { input: Record<string, unknown>; problem?: undefined } | { input?: undefined; problem: string }

function readArguments(call: ToolCall): ReadArguments {
  const text = call.arguments || '{}'
  const parsed = parseJson(text)
  const repaired = parsed instanceof SyntaxError ? parseJson(escapeLineBreaks(text)) : parsed
  if (repaired instanceof SyntaxError) return { problem: excerptAt(text, parsed as SyntaxError) }
  if (typeof repaired !== 'object' || repaired === null || Array.isArray(repaired))
    return { problem: 'they are an array or a single value' }
  return { input: repaired as Record<string, unknown> }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

/** Escapes bare line breaks and tabs in strings, which some models write. */
function escapeLineBreaks(text: string): string {
  const names: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
  // An unterminated string matches to the end, so that the time stays linear in the number of quotes.
  return text.replace(/"(?:[^"\\]|\\.)*(?:"|$)/gs, (string) =>
    string.replace(/[\n\r\t]/g, (character) => names[character]!),
  )
}

const maxReasonLength = 120
/** The length of the text before an error that its message shows. */
const excerptLength = 40

/** The reason of a syntax error with its position. */
function excerptAt(text: string, { message }: SyntaxError): string {
  const found = /position (\d+)/.exec(message)
  if (!found) return message.slice(0, maxReasonLength)
  const position = Number(found[1])
  const reason = message.replace(/ in JSON at position.*$/s, '')
  return `${reason} at position ${position}, after ${JSON.stringify(text.slice(Math.max(0, position - excerptLength), position))}`
}
