import type { ActivityItem } from '#interns/contract/activity-item.ts'
import { printable, printableLine } from '#platform/text/printable.ts'
import { diffLine, type StyleText } from './style.ts'

type ToolCall = Extract<ActivityItem, { type: 'tool_call' }>

/** The maximum number of displayed lines of a tool's output and changes. The console and the API have all lines. */
const maxLines = { output: 8, change: 40 }

/** Formats the activity of an intern: a tool call when it starts and when it ends, the plan when it changes. */
export function createActivityFormatter(applyStyle: StyleText): (activity: ActivityItem) => string {
  const startedCalls = new Set<string>()
  let previousPlan = ''
  return (activity) => {
    if (activity.type === 'plan') {
      const plan = planLines(activity.steps)
      if (plan === previousPlan) return ''
      previousPlan = plan
      return plan
    }
    const { tool_call_id: id, status } = activity
    const hasEnded = status === 'completed' || status === 'failed'
    const lines = startedCalls.has(id) ? [] : [applyStyle('bold', `* ${titleOf(activity)}`)]
    startedCalls.add(id)
    if (hasEnded) {
      lines.push(...resultLines(applyStyle, activity))
      startedCalls.delete(id)
    }
    return lines.join('\n')
  }
}

function titleOf({ operation, title, paths }: ToolCall): string {
  const words = [operation, title ?? paths.join(', ')].filter(Boolean).map((text) => printableLine(text!))
  return words.length > 0 ? [...new Set(words)].join('  ') : 'tool'
}

function resultLines(applyStyle: StyleText, { status, changes, output }: ToolCall): string[] {
  const changeLines = changes.flatMap(({ diff }) => truncateLines(diff.split('\n'), maxLines.change))
  const outputLines = output ? truncateLines(output.trimEnd().split('\n'), maxLines.output) : []
  const lines = [
    ...changeLines.map((line) => diffLine(applyStyle, line)),
    ...outputLines.map((line) => applyStyle('dim', `  ${printable(line)}`)),
  ]
  if (status === 'failed') lines.push(applyStyle('red', '  failed'))
  return lines
}

/** The first `count` lines, and a line with the number of further ones. */
export function truncateLines(lines: readonly string[], count: number): string[] {
  if (lines.length <= count) return [...lines]
  return [...lines.slice(0, count), `… ${lines.length - count} more lines`]
}

const statusMarks: Record<string, string> = { completed: '[x]', in_progress: '[>]' }

function planLines(steps: Extract<ActivityItem, { type: 'plan' }>['steps']): string {
  return steps.map(({ text, status }) => `  ${statusMarks[status] ?? '[ ]'} ${printableLine(text)}`).join('\n')
}
