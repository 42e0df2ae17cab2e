import type { PlanEntry, SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk'
import type { ActivityItem } from '#interns/contract/activity-item.ts'

type ToolCallItem = Extract<ActivityItem, { type: 'tool_call' }>
export type Change = ToolCallItem['changes'][number]

/** The protocol's kind of tool for the first word of an operation. */
const kinds: Record<string, ToolKind> = {
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

export const kindOf = (operation: string | null): ToolKind => kinds[operation?.split('.')[0] ?? ''] ?? 'other'

export const textContent = (text: string) => ({ type: 'text' as const, text })

/** @param isNew whether the tool call is new to the editor */
export function activityUpdate(activity: ActivityItem, isNew: boolean): SessionUpdate {
  if (activity.type === 'plan') return { sessionUpdate: 'plan', entries: activity.steps.map(planEntry) }
  const { tool_call_id: toolCallId, operation, title, status, input, paths } = activity
  const call = {
    toolCallId,
    title: title ?? operation ?? 'tool',
    kind: kindOf(operation),
    status,
    ...(input !== null && { rawInput: parsed(input) }),
    locations: paths.map((path) => ({ path })),
    content: contentOf(activity),
  }
  return isNew ? { sessionUpdate: 'tool_call', ...call } : { sessionUpdate: 'tool_call_update', ...call }
}

function contentOf({ changes, output }: ToolCallItem): ToolCallContent[] {
  return [
    ...changes.flatMap(diffContents),
    ...(output ? [{ type: 'content' as const, content: textContent(output) }] : []),
  ]
}

/**
 * Converts a unified diff to one before-and-after pair for each hunk. Every line of the file has a sign before it, so none
 * can be mistaken for the header of a hunk.
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
    oldText: isNew ? null : sideOf(lines, '+'),
    newText: sideOf(lines, '-'),
  }))
}

/** The text of one side. The diff marks a missing line break at the end only if the sides differ in it. */
function sideOf(lines: string[], other: '+' | '-'): string {
  const sideLines = lines.map((line, at) => {
    if (line.startsWith(other) || isMissingNewline(line)) return ''
    return lines[at + 1] !== undefined && isMissingNewline(lines[at + 1]!) ? line.slice(1) : `${line.slice(1)}\n`
  })
  const text = sideLines.join('')
  return lines.some(isMissingNewline) ? text : text.replace(/\n$/, '')
}

/** `\ No newline at end of file`, which refers to the previous line. */
const isMissingNewline = (line: string) => line.startsWith('\\')

function planEntry({ text, status, priority }: Extract<ActivityItem, { type: 'plan' }>['steps'][number]): PlanEntry {
  const oneOf = <T extends string>(values: readonly T[], value: string | undefined, fallback: T) =>
    values.find((one) => one === value) ?? fallback
  return {
    content: text,
    status: oneOf(['pending', 'in_progress', 'completed'], status, 'pending'),
    priority: oneOf(['high', 'medium', 'low'], priority, 'medium'),
  }
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}
