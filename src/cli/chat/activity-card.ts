import type { ActivityItem } from '#interns/contract/activity-item.ts'
import { printable, printableLine } from '#platform/text/printable.ts'
import { diffLine, type Styled } from './style.ts'

type ToolCall = Extract<ActivityItem, { type: 'tool_call' }>

/** Lines of a tool's output, and of what it changes, that are shown; all of it is in the console and the API. */
const most = { output: 8, change: 40 }

/** Says what an intern does: a tool call when it begins and when it ends, the plan when it changes. */
export function activityCard(styled: Styled): (activity: ActivityItem) => string {
  const begun = new Set<string>()
  let planBefore = ''
  return (activity) => {
    if (activity.type === 'plan') {
      const plan = planLines(activity.steps)
      if (plan === planBefore) return ''
      planBefore = plan
      return plan
    }
    const { tool_call_id: id, status } = activity
    const isOver = status === 'completed' || status === 'failed'
    const lines = begun.has(id) ? [] : [styled('bold', `* ${headOf(activity)}`)]
    begun.add(id)
    if (isOver) {
      lines.push(...resultOf(styled, activity))
      begun.delete(id)
    }
    return lines.join('\n')
  }
}

function headOf({ operation, title, paths }: ToolCall): string {
  const named = [operation, title ?? paths.join(', ')].filter(Boolean).map((text) => printableLine(text!))
  return named.length > 0 ? [...new Set(named)].join('  ') : 'tool'
}

function resultOf(styled: Styled, { status, changes, output }: ToolCall): string[] {
  const changed = changes.flatMap(({ diff }) => bounded(diff.split('\n'), most.change))
  const said = output ? bounded(output.trimEnd().split('\n'), most.output) : []
  return [
    ...changed.map((line) => diffLine(styled, line)),
    ...said.map((line) => styled('dim', `  ${printable(line)}`)),
    ...(status === 'failed' ? [styled('red', '  failed')] : []),
  ]
}

/** The first lines, and how many more there are. */
export function bounded(lines: readonly string[], count: number): string[] {
  if (lines.length <= count) return [...lines]
  return [...lines.slice(0, count), `… ${lines.length - count} more lines`]
}

const marks: Record<string, string> = { completed: '[x]', in_progress: '[>]' }

function planLines(steps: Extract<ActivityItem, { type: 'plan' }>['steps']): string {
  return steps.map(({ text, status }) => `  ${marks[status] ?? '[ ]'} ${printableLine(text)}`).join('\n')
}
