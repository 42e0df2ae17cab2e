import { openSync, readdirSync, readFileSync } from 'node:fs'
import { once } from '../async/once.ts'

type Slot = 'ignore' | 'pipe' | number

/** The flag O_CLOEXEC of Linux: the file is closed when the process executes a program. */
const closesOnExec = 0o2000000

/**
 * The `stdio` list of a child process that inherits no other open file. Node closes its own files on exec; but files
 * that our parent left open in this process would be inherited by every child. The child gets the null device instead. On
 * systems that do not list open files, the list is unchanged.
 */
export function withoutInheritedFiles(stdio: Slot[]): Slot[] {
  const { descriptors, nullDevice } = inheritedFiles()
  const slots = [...stdio]
  for (const descriptor of descriptors) {
    if (descriptor < stdio.length) continue
    while (slots.length < descriptor) slots.push('ignore')
    slots[descriptor] = nullDevice
  }
  return slots
}

/** Files can be inherited only at the start, so they are searched once. */
const inheritedFiles = once(() => {
  const descriptors = openDescriptors().filter((descriptor) => descriptor > 2 && !closesOnExecution(descriptor))
  return { descriptors, nullDevice: descriptors.length > 0 ? openSync('/dev/null', 'r+') : -1 }
})

function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number)
  } catch {
    return []
  }
}

function closesOnExecution(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1]
    return (Number.parseInt(flags ?? '', 8) & closesOnExec) !== 0
  } catch {
    // The file is closed already.
    return true
  }
}
