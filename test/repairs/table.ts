import type { Task } from './task.ts'
import type { Outcome } from './workshop.ts'

export type Row = { task: Task; good: Outcome; sloppy: Outcome } | { task: Task; skipped: string }

/** The figures, a line for each task, and their sums. */
export function tableOf(rows: Row[]): string {
  const head = [
    'task',
    'language',
    ...['good', 'turns', 'calls', 'failed', 'context'],
    ...['sloppy', 'turns', 'calls', 'failed', 'context'],
    'set right after',
  ]
  const lines = rows.map((row) => {
    const about = [row.task.name, row.task.language]
    if ('skipped' in row) return [...about, `skipped: ${row.skipped}`]
    const rights = row.sloppy.setRight.map(({ messages }) => messages ?? 'never').join(' ')
    return [...about, ...cells(row.good), ...cells(row.sloppy), rights]
  })
  const widths = head.map((_, at) => Math.max(...[head, ...lines].map((line) => line[at]?.length ?? 0)))
  const table = [head, ...lines].map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  )
  return `${table.join('\n')}\n\n${sumsOf(rows).join('\n')}\n`
}

const cells = ({ repaired, turns, calls, failed, contextTokens }: Outcome) =>
  [repaired ? 'yes' : 'NO', turns, calls, failed, contextTokens].map(String)

/** The sums of all tasks, in sentences. */
function sumsOf(rows: Row[]): string[] {
  const done = rows.filter((row) => 'good' in row)
  const of = (who: 'good' | 'sloppy') => {
    const all = done.map((row) => row[who])
    const sum = (what: 'turns' | 'calls' | 'failed') => all.reduce((total, each) => total + each[what], 0)
    const largest = Math.max(0, ...all.map(({ contextTokens }) => contextTokens))
    return `${who}: ${all.filter(({ repaired }) => repaired).length} of ${all.length} repaired, ${sum('turns')} requests to the model, ${sum('calls')} calls, ${sum('failed')} failed, at most ${largest} tokens of context`
  }
  const slips = done.flatMap(({ sloppy }) => sloppy.setRight)
  const after = (count: number) => slips.filter(({ messages }) => messages === count).length
  const later = slips.filter(({ messages }) => messages !== undefined && messages > 1).length
  const never = slips.filter(({ messages }) => messages === undefined)
  return [
    of('good'),
    of('sloppy'),
    `mistakes: ${slips.length}; ${after(0)} taken as meant, ${after(1)} set right by the first message, ${later} by a later one, ${never.length} by none`,
    ...never.map(({ slip }) => `set right by none: ${slip}`),
  ]
}
