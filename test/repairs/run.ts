import { measure } from './measure.ts'
import { tableOf } from './table.ts'
import { tasks } from './tasks/tasks.ts'
import { place } from './workshop.ts'

/** Measures the builtin agent, and prints the table. Names of tasks may follow. */
const named = process.argv.slice(2)
const chosen = named.length ? tasks.filter(({ name }) => named.includes(name)) : tasks
console.log(`${chosen.length} repair tasks, ${place}.\n`)
console.log(tableOf(await measure(chosen)))
