import { readFileSync } from 'node:fs'

const pageBytes = 4096

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
    tree.memoryBytes += Number(readProcFile(`/proc/${next}/statm`)?.split(' ')[1] ?? 0) * pageBytes
    for (const child of children.split(' ')) if (child) pending.push(Number(child))
  }
  return tree
}

function readProcFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}
