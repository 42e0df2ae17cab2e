import { type FileDiff, type ToolActivity, type ToolStatus, toolStatuses } from '#interns/transcript.ts'
import { changeText } from '../acp/change-text.ts'
import { operationOf } from '../acp/operation.ts'
import type { FileChange, ToolCall } from '../acp/tool-call.ts'
import { cutMiddle, longest } from './limits.ts'

/** All that is known of a tool call, cut to what is kept. `output` is what it has shown besides its text. */
export function toolActivity(toolCallId: string, tool: ToolCall, output: string): ToolActivity {
  const { title, input, text, status, paths = [], changes = [] } = tool
  const given = output + (text && text !== output ? text : '')
  const operation = operationOf(tool)
  return {
    type: 'tool_call',
    toolCallId: toolCallId.slice(0, longest.name),
    operation: operation === null ? null : operation.slice(0, longest.name),
    title: title === undefined ? null : cutMiddle(title, longest.title),
    status: toolStatuses.find((one) => one === status) ?? ('pending' satisfies ToolStatus),
    input: input === undefined ? null : cutMiddle(input, longest.input),
    output: given === '' ? null : cutMiddle(given, longest.output),
    paths: paths.slice(0, longest.paths).map((path) => path.slice(0, longest.name)),
    changes: diffsOf(changes),
  }
}

/** Of many changes each gets a part of the room. */
function diffsOf(changes: FileChange[]): FileDiff[] {
  const kept = changes.slice(0, longest.changes)
  const each = Math.floor(longest.diffs / Math.max(1, kept.length))
  return kept.map((change) => ({ path: change.path.slice(0, longest.name), diff: cutMiddle(changeText(change), each) }))
}
