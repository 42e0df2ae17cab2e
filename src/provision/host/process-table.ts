import { readdirSync, readFileSync } from 'node:fs'
import { TimeSlices } from '#platform/async/time-slices.ts'

/** A process as the system lists it, except those that have ended and wait for their parent (zombies). */
export type Process = {
  pid: number
  parent: number
  /** Real, effective and saved. */
  users: number[]
  threads: number
  /** The memory of the process, without files that it shares with others. */
  memoryBytes: number
}

/** Lets other work continue while many processes are counted. */
const slices = new TimeSlices(5)

/** All processes of the host or container. Empty on systems without `/proc`. */
export async function listProcesses(): Promise<Process[]> {
  const processes: Process[] = []
  for (const name of readNames()) {
    const pid = Number(name)
    if (!(pid > 0)) continue
    const process = readProcess(pid)
    if (process) processes.push(process)
    const nextSlice = slices.waitIfUsedUp()
    if (nextSlice) await nextSlice
  }
  return processes
}

/** A process and all of its descendants. */
export function findTree(processes: Process[], root: number): Process[] {
  const children = Map.groupBy(processes, ({ parent }) => parent)
  const tree = processes.filter(({ pid }) => pid === root)
  for (const process of tree) tree.push(...(children.get(process.pid) ?? []))
  return tree
}

function readNames(): string[] {
  try {
    return readdirSync('/proc')
  } catch {
    return []
  }
}

/** Reads `status`, not the owner of the folder: that is root for a process that hides its memory. */
function readProcess(pid: number): Process | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return undefined
  }
  const field = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(text)?.[1] ?? ''
  const number = (name: string) => Number.parseInt(field(name), 10) || 0
  if (/^[ZX]/.test(field('State'))) return undefined
  return {
    pid,
    parent: number('PPid'),
    users: field('Uid').split(/\s+/).slice(0, 3).map(Number),
    threads: number('Threads'),
    memoryBytes: (number('RssAnon') + number('RssShmem')) * 1024,
  }
}
