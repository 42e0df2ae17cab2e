import { readdirSync, readFileSync } from 'node:fs'
import { TimeSlices } from '#platform/async/time-slices.ts'

/** A process as the system lists it. A process that has ended and is not yet reaped by its parent is left out. */
export type Process = {
  pid: number
  parent: number
  /** Real, effective and saved. */
  users: number[]
  threads: number
  /** Its own memory, without memory that it shares with others. */
  memoryBytes: number
}

/** However many processes there are, nobody else waits for them to be counted. */
const slices = new TimeSlices(5)

/** All processes of the host, or of our container of it. Empty where the system does not list them (Linux does). */
export async function listProcesses(): Promise<Process[]> {
  const all: Process[] = []
  for (const name of readNames()) {
    const pid = Number(name)
    if (!(pid > 0)) continue
    const listed = read(pid)
    if (listed) all.push(listed)
    const turn = slices.used()
    if (turn) await turn
  }
  return all
}

/** A process and all that descends from it. */
export function treeOf(all: Process[], root: number): Process[] {
  const children = Map.groupBy(all, ({ parent }) => parent)
  const found = all.filter(({ pid }) => pid === root)
  for (const one of found) found.push(...(children.get(one.pid) ?? []))
  return found
}

function readNames(): string[] {
  try {
    return readdirSync('/proc')
  } catch {
    return []
  }
}

/** By what the process tells of itself: the owner of its folder is root for one that hides its memory. */
function read(pid: number): Process | undefined {
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
