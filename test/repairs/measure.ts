import type { Row } from './table.ts'
import type { Task } from './task.ts'
import { openWorkshop, whyNot } from './workshop.ts'

/** Has both engineers try the tasks, in order. */
export async function measure(tasks: Task[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const window of new Set(tasks.map(({ windowTokens }) => windowTokens))) {
    await using workshop = await openWorkshop(window)
    for (const task of tasks.filter(({ windowTokens }) => windowTokens === window)) {
      const skipped = await whyNot(task)
      if (skipped) rows.push({ task, skipped })
      else {
        const [good, sloppy] = await Promise.all([workshop.attempt(task, 'good'), workshop.attempt(task, 'sloppy')])
        rows.push({ task, good, sloppy })
      }
    }
  }
  return rows
}
