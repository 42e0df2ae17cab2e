import { type FileDiff, type ToolActivity, type ToolStatus, toolStatuses } from '#interns/contract/transcript.ts'
import { truncateText } from '#platform/text/truncate.ts'
import { formatChange } from '../acp/tool-calls/change-text.ts'
import { toOperation } from '../acp/tool-calls/operation.ts'
import type { FileChange, ToolCall } from '../acp/tool-calls/tool-call.ts'
import { maxLengths, shorten } from './limits.ts'
import type { TerminalOutput } from './terminal-output.ts'

/** A tool call in its stored form, shortened. */
export function toToolActivity(toolCallId: string, tool: ToolCall, terminal: TerminalOutput): ToolActivity {
  const { title, input, text, status, paths = [], changes = [] } = tool
  const output = terminal.text + (text && text !== terminal.text ? text : '')
  const operation = toOperation(tool)
  return {
    type: 'tool_call',
    toolCallId: truncateText(toolCallId, maxLengths.name),
    operation: operation === null ? null : truncateText(operation, maxLengths.name),
    title: title === undefined ? null : shorten(title, maxLengths.title),
    status: toolStatuses.find((toolStatus) => toolStatus === status) ?? ('pending' satisfies ToolStatus),
    input: input === undefined ? null : shorten(input, maxLengths.input),
    output: output === '' ? null : shorten(output, maxLengths.output, terminal.omitted),
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
