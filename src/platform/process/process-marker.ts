import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'

/** The environment variable that marks an intern's processes. Their children inherit it. */
export const markerVariable = 'SIGNALBOX_AGENT_OF'

/** The prefix of all marks of one intern. Each agent process has its own suffix. */
export function createMark(workspace: string): string {
  return createHash('sha256').update(workspace).digest('hex').slice(0, 32)
}

/** How much of the environment of a process is searched. Ordinary environments are smaller. */
const searchedBytes = 256 * 1024

/** The limit of process lists for one search, if new processes appear all the time. */
const maxLists = 100

/**
 * Kills every process with a mark that starts with `mark`, and its process group. Works only on Linux. A process that forks and
 * exits can end before it is checked, and its child can be missing in the list. So lists are read until one has no new process.
 * The newest process is checked first, because it most likely still exists.
 * @returns the number of killed processes.
 */
export function killMarked(mark: string): number {
  // One buffer for all processes: reading each environment whole would cost a small daemon a good part of its memory.
  const buffer = Buffer.allocUnsafeSlow(searchedBytes)
  const visited = new Set<number>()
  let killedCount = 0
  for (let lists = 0; lists < maxLists; lists++) {
    const newProcesses = listProcesses().filter((pid) => !visited.has(pid))
    if (newProcesses.length === 0) break
    for (const pid of newProcesses) {
      visited.add(pid)
      if (killIfMarked(pid, mark, buffer)) killedCount++
    }
  }
  return killedCount
}

function killIfMarked(pid: number, mark: string, buffer: Buffer): boolean {
  try {
    if (!readEnvironment(pid, buffer).includes(`${markerVariable}=${mark}`) || isZombie(pid)) return false
  } catch {
    // The process has ended, or access to its environment is denied.
    return false
  }
  try {
    killGroup(pid)
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has just ended. Its children are in the next list.
  }
  return true
}

/** A process that escaped may fork again and again, so its whole group is killed at once. */
function killGroup(pid: number): void {
  const group = readGroup(pid)
  // `kill` with -1 would signal every process. The group of this process must survive.
  if (!(group > 1) || group === readGroup(process.pid)) return
  process.kill(-group, 'SIGKILL')
}

/** The process group; NaN if the status has none. */
const readGroup = (pid: number) => Number(readStatus(pid)[2])

/** Whether the process has ended and only waits for its parent to read its status. */
const isZombie = (pid: number) => ['Z', 'X'].includes(readStatus(pid)[0] ?? '')

/** Returns the fields of the status: state, parent, group and others. They follow the name, which can contain anything. */
function readStatus(pid: number): string[] {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return line.slice(line.lastIndexOf(')') + 2).split(' ')
}

function readEnvironment(pid: number, buffer: Buffer): Buffer {
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

/** Lists the other processes, the newest first. */
function listProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid)
      .sort((one, other) => other - one)
  } catch {
    return []
  }
}
