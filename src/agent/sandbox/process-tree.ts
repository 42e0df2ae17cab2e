import { readdirSync, readFileSync } from 'node:fs'

/**
 * Counts the descendants of `pid` and their memory by Linux's /proc. Stops counting just above `maxProcesses`. On other
 * systems, and for a process that has ended, the result is 0.
 */
export function measureTree(pid: number | undefined, maxProcesses: number): { processes: number; memoryBytes: number } {
  const tree = { processes: 0, memoryBytes: 0 }
  const pending = pid === undefined ? [] : [pid]
  while (pending.length && tree.processes <= maxProcesses) {
    const next = pending.pop()!
    const status = readProcFile(`/proc/${next}/status`)
    if (status === undefined) continue
    tree.processes++
    tree.memoryBytes += residentBytes(status)
    pending.push(...findChildren(next, status))
  }
  return tree
}

/** Finds the children that any thread of a process has started. Programs in Go start them from all threads. */
function findChildren(pid: number, status: string): number[] {
  const threads = /^Threads:\s*1$/m.test(status) ? [String(pid)] : listThreads(pid)
  return threads.flatMap((thread) =>
    (readProcFile(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
}

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** `statm` would count in pages, whose size differs between machines. */
function residentBytes(status: string): number {
  return 1024 * Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? 0)
}

function readProcFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}
