import { readFileSync } from 'node:fs'

/**
 * Counts the descendants of `pid` and their memory by Linux's /proc. Stops counting just above `maxProcesses`. On other
 * systems, and for a process that has ended, the result is 0.
 */
export function measureTree(pid: number | undefined, maxProcesses: number): { processes: number; memoryBytes: number } {
  const tree = { processes: 0, memoryBytes: 0 }
  const pending = pid === undefined ? [] : [pid]
  while (pending.length && tree.processes <= maxProcesses) {
    const next = pending.pop()!
    const children = readProcFile(`/proc/${next}/task/${next}/children`)
    if (children === undefined) continue
    tree.processes++
    tree.memoryBytes += residentBytes(readProcFile(`/proc/${next}/status`))
    for (const child of children.split(' ')) if (child) pending.push(Number(child))
  }
  return tree
}

/** `statm` would count in pages, whose size differs between machines. */
function residentBytes(status = ''): number {
  return 1024 * Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? 0)
}

function readProcFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}
