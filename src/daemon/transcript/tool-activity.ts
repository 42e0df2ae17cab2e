import { type FileDiff, type ToolActivity, type ToolStatus, toolStatuses } from '#interns/contract/transcript.ts'
import { truncateText } from '#platform/text/truncate.ts'
import { formatChange } from '../acp/tool-calls/change-text.ts'
import { toOperation } from '../acp/tool-calls/operation.ts'
import type { FileChange, ToolCall } from '../acp/tool-calls/tool-call.ts'
import { maxLengths, shorten } from './limits.ts'

/** A tool call in its stored form, shortened. `output` is its terminal output. */
export function toToolActivity(toolCallId: string, tool: ToolCall, output: string): ToolActivity {
  const { title, input, text, status, paths = [], changes = [] } = tool
  const fullOutput = output + (text && text !== output ? text : '')
  const operation = toOperation(tool)
  return {
    type: 'tool_call',
    toolCallId: truncateText(toolCallId, maxLengths.name),
    operation: operation === null ? null : truncateText(operation, maxLengths.name),
    title: title === undefined ? null : shorten(title, maxLengths.title),
    status: toolStatuses.find((toolStatus) => toolStatus === status) ?? ('pending' satisfies ToolStatus),
    input: input === undefined ? null : shorten(input, maxLengths.input),
    output: fullOutput === '' ? null : shorten(fullOutput, maxLengths.output),
    paths: paths.slice(0, maxLengths.paths).map((path) => truncateText(path, maxLengths.name)),
    changes: toDiffs(changes),
  }
}

/** All diffs share the maximum length. */
function toDiffs(changes: FileChange[]): FileDiff[] {
  const listedChanges = changes.slice(0, maxLengths.changes)
  const maxDiffLength = Math.floor(maxLengths.diffs / Math.max(1, listedChanges.length))
  return listedChanges.map((change) => ({
    path: truncateText(change.path, maxLengths.name),
    diff: shorten(formatChange(change), maxDiffLength),
  }))
}
