import type { PlanEntry, SessionUpdate, ToolCall, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk'
import type { ActivityItem } from '#interns/contract/activity-item.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'

type ToolCallItem = Extract<ActivityItem, { type: 'tool_call' }>
export type Change = ToolCallItem['changes'][number]

/** The protocol's kind of tool for the first word of an operation. */
const toolKinds: Record<string, ToolKind> = {
  shell: 'execute',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  read: 'read',
  search: 'search',
  fetch: 'fetch',
  think: 'think',
  switch_mode: 'switch_mode',
}

export const toToolKind = (operation: string | null): ToolKind => toolKinds[operation?.split('.')[0] ?? ''] ?? 'other'

export const textContent = (text: string) => ({ type: 'text' as const, text })

/** @param options.isNew whether the tool call is new to the editor */
export function activityUpdate(activity: ActivityItem, { isNew }: { isNew: boolean }): SessionUpdate {
  if (activity.type === 'plan') return { sessionUpdate: 'plan', entries: activity.steps.map(planEntry) }
  const { tool_call_id: toolCallId, operation, title, status, input, paths } = activity
  const call: ToolCall = {
    toolCallId,
    title: title ?? operation ?? 'tool',
    kind: toToolKind(operation),
    status,
    locations: paths.map((path) => ({ path })),
    content: toContent(activity),
  }
  if (input !== null) call.rawInput = parseJsonOr(input, input)
  return isNew ? { sessionUpdate: 'tool_call', ...call } : { sessionUpdate: 'tool_call_update', ...call }
}

function toContent({ changes, output }: ToolCallItem): ToolCallContent[] {
  const content = changes.flatMap(diffContents)
  if (output) content.push({ type: 'content', content: textContent(output) })
  return content
}

/**
 * Converts a unified diff to one before-and-after pair for each hunk. Every line of the file has a sign before it, so none
 * can be mistaken for the header of a hunk. The diff of a new file has one header, `+++`, and no `@@` line.
 */
export function diffContents({ path, diff }: Change): ToolCallContent[] {
  const isNew = !diff.startsWith('--- ')
  const hunks: string[][] = isNew ? [[]] : []
  for (const line of diff.split('\n').slice(isNew ? 1 : 2)) {
    if (line.startsWith('@@')) hunks.push([])
    else hunks.at(-1)?.push(line)
  }
  return hunks.map((lines) => ({
    type: 'diff',
    path,
    oldText: isNew ? null : textOfSide(lines, '+'),
    newText: textOfSide(lines, '-'),
  }))
}

/** The text before or after the change. The diff marks a missing final line break only if just one of the two texts lacks it. */
function textOfSide(lines: string[], signOfOtherSide: '+' | '-'): string {
  const sideLines = lines.map((line, at) => {
    if (line.startsWith(signOfOtherSide) || isMissingNewline(line)) return ''
    return lines[at + 1] !== undefined && isMissingNewline(lines[at + 1]!) ? line.slice(1) : `${line.slice(1)}\n`
  })
  const text = sideLines.join('')
  return lines.some(isMissingNewline) ? text : text.replace(/\n$/, '')
}

/** `\ No newline at end of file`, which refers to the previous line. */
const isMissingNewline = (line: string) => line.startsWith('\\')

function planEntry({ text, status, priority }: Extract<ActivityItem, { type: 'plan' }>['steps'][number]): PlanEntry {
  const valueOrFallback = <T extends string>(values: readonly T[], value: string | undefined, fallback: T) =>
    values.find((candidate) => candidate === value) ?? fallback
  return {
    content: text,
    status: valueOrFallback(['pending', 'in_progress', 'completed'], status, 'pending'),
    priority: valueOrFallback(['high', 'medium', 'low'], priority, 'medium'),
  }
}
