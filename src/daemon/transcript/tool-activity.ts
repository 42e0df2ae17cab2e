import { type FileDiff, type ToolActivity, type ToolStatus, toolStatuses } from '#interns/contract/transcript.ts'
import { beginningOf } from '#platform/text/whole-characters.ts'
import { changeText } from '../acp/change-text.ts'
import { operationOf } from '../acp/operation.ts'
import type { FileChange, ToolCall } from '../acp/tool-call.ts'
import { keptOf, longest } from './limits.ts'

/** All that is known of a tool call, cut to what is kept. `output` is what it has shown besides its text. */
export function toolActivity(toolCallId: string, tool: ToolCall, output: string): ToolActivity {
  const { title, input, text, status, paths = [], changes = [] } = tool
  const given = output + (text && text !== output ? text : '')
  const operation = operationOf(tool)
  return {
    type: 'tool_call',
    toolCallId: beginningOf(toolCallId, longest.name),
    operation: operation === null ? null : beginningOf(operation, longest.name),
    title: title === undefined ? null : keptOf(title, longest.title),
    status: toolStatuses.find((one) => one === status) ?? ('pending' satisfies ToolStatus),
    input: input === undefined ? null : keptOf(input, longest.input),
    output: given === '' ? null : keptOf(given, longest.output),
    paths: paths.slice(0, longest.paths).map((path) => beginningOf(path, longest.name)),
    changes: diffsOf(changes),
  }
}

/** Of many changes each gets a part of the room. */
function diffsOf(changes: FileChange[]): FileDiff[] {
  const kept = changes.slice(0, longest.changes)
  const each = Math.floor(longest.diffs / Math.max(1, kept.length))
  return kept.map((change) => ({
    path: beginningOf(change.path, longest.name),
    diff: keptOf(changeText(change), each),
  }))
}
