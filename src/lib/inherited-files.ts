import { openSync, readdirSync, readFileSync } from 'node:fs'
import { once } from './once.ts'

type Slot = 'ignore' | 'pipe' | number
const closesOnExec = 0o2000000

/**
 * What a program gets of our open files: those of the list and no other. Node closes its own; but what our own parent
 * left open in us would pass on to all that we start, and with it a way to whoever holds the other end. In the place of
 * each such file stands the null device. Where the system does not tell what is open, the list stays as it is.
 */
export function withoutInherited(stdio: Slot[]): Slot[] {
  const { numbers, nothing } = inheritedFiles()
  const slots = [...stdio]
  for (const number of numbers) {
    if (number < stdio.length) continue
    while (slots.length < number) slots.push('ignore')
    slots[number] = nothing
  }
  return slots
}

/** Our parent leaves nothing later on: it is looked for once. */
const inheritedFiles = once(() => {
  const numbers = openDescriptors().filter((number) => number > 2 && !closesOnExecution(number))
  return { numbers, nothing: numbers.length > 0 ? openSync('/dev/null', 'r+') : -1 }
})

function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number)
  } catch {
    return []
  }
}

function closesOnExecution(number: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8'))?.[1]
    return (Number.parseInt(flags ?? '', 8) & closesOnExec) !== 0
  } catch {
    // It is closed already.
    return true
  }
}
