import type { PlanEntry, SessionUpdate, ToolCallContent, ToolKind } from '@agentclientprotocol/sdk'
import type { ActivityItem } from '#interns/contract/activity-item.ts'

type ToolCallItem = Extract<ActivityItem, { type: 'tool_call' }>
export type Change = ToolCallItem['changes'][number]

/** The protocol's kinds of tools, by the first word of an operation. */
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

/** @param isNew whether the editor has not heard of this tool call yet */
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
 * What is told of a change is a unified diff: before and after are made of each of its hunks. Lines of the file have a sign
 * before them, so that none looks like the head of a hunk.
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

/** The text without the lines of the other side. Whether its last line has a line break is told only where the sides differ in it. */
function sideOf(lines: string[], other: '+' | '-'): string {
  const kept = lines.map((line, at) => {
    if (line.startsWith(other) || isMark(line)) return ''
    return lines[at + 1] !== undefined && isMark(lines[at + 1]!) ? line.slice(1) : `${line.slice(1)}\n`
  })
  const text = kept.join('')
  return lines.some(isMark) ? text : text.replace(/\n$/, '')
}

/** "\ No newline at end of file": of the line before it. */
const isMark = (line: string) => line.startsWith('\\')

function planEntry({ text, status, priority }: Extract<ActivityItem, { type: 'plan' }>['steps'][number]): PlanEntry {
  const known = <T extends string>(words: readonly T[], word: string | undefined, otherwise: T) =>
    words.find((one) => one === word) ?? otherwise
  return {
    content: text,
    status: known(['pending', 'in_progress', 'completed'], status, 'pending'),
    priority: known(['high', 'medium', 'low'], priority, 'medium'),
  }
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}
