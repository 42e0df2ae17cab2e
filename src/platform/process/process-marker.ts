import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'

/** The variable in the environment of an intern's processes, which their children inherit: by it they are known. */
export const markerVariable = 'SIGNALBOX_AGENT_OF'

/** The beginning of all marks of one intern; each agent process has one of its own behind it. */
export function markerOf(workspace: string): string {
  return createHash('sha256').update(workspace).digest('hex').slice(0, 32)
}

/** At most so much of an environment is searched. Ordinary ones are smaller. */
const searchedBytes = 256 * 1024

/** At most so many lists of processes are made for one search, where others are born all the time. */
const mostLists = 100

/**
 * Ends every process whose mark begins so, wherever it has gone, and all of its group. Only on Linux can they be found.
 * A process that only forks and exits may be gone before it is looked at, and what it left be missing in the list: so
 * lists are made until one has nothing new. The newest comes first: it is the one that is still there.
 * @returns how many there were.
 */
export function killMarked(mark: string): number {
  // One buffer for all: reading each file whole would cost a small daemon a good part of its memory.
  const buffer = Buffer.allocUnsafeSlow(searchedBytes)
  const seen = new Set<number>()
  let ended = 0
  for (let lists = 0; lists < mostLists; lists++) {
    const young = processes().filter((pid) => !seen.has(pid))
    if (young.length === 0) break
    for (const pid of young) {
      seen.add(pid)
      if (killIfMarked(pid, mark, buffer)) ended++
    }
  }
  return ended
}

function killIfMarked(pid: number, mark: string, buffer: Buffer): boolean {
  try {
    if (!environmentOf(pid, buffer).includes(`${markerVariable}=${mark}`) || isZombie(pid)) return false
  } catch {
    // Gone already, or not ours to see.
    return false
  }
  try {
    killGroup(pid)
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended in this very moment; what it began is in the next list.
  }
  return true
}

/** A process that escaped may fork again and again, so its whole group is killed at once. */
function killGroup(pid: number): void {
  const group = Number(statusOf(pid)[2])
  if (!(group > 1) || group === Number(statusOf(process.pid)[2])) return
  process.kill(-group, 'SIGKILL')
}

/** Whether the process has ended and only waits for its parent to read its status. */
const isZombie = (pid: number) => ['Z', 'X'].includes(statusOf(pid)[0] ?? '')

/** State, parent, group and on: what stands behind the name, which may hold anything. */
function statusOf(pid: number): string[] {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return line.slice(line.lastIndexOf(')') + 2).split(' ')
}

function environmentOf(pid: number, buffer: Buffer): Buffer {
  const file = openSync(`/proc/${pid}/environ`, 'r')
  try {
    let length = 0
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(file, buffer, length, buffer.length - length, null)
    }
    return buffer.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid)
      .sort((one, other) => other - one)
  } catch {
    return []
  }
}
