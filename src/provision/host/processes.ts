import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { waitUntil } from '#platform/async/wait-for.ts'

/** A process by number and start time. The number alone is not unique, because the system reuses it. */
export type ProcessId = { pid: number; began: string }

/** The id of a process that was not started. It is never alive. */
export const noProcess: ProcessId = { pid: 0, began: '' }

/** The process with this number; undefined if there is none, or only a zombie. */
export function findProcess(pid: number): ProcessId | undefined {
  const startTime = process.platform === 'linux' ? startTimeOnLinux(pid) : startTimeByPs(pid)
  return startTime === undefined ? undefined : { pid, began: startTime }
}

export function isAlive(id: ProcessId): boolean {
  try {
    return findProcess(id.pid)?.began === id.began
  } catch {
    // A process that cannot be looked up can still run.
    return true
  }
}

/** Sends a signal, but never to another process with the same number. */
export function sendSignal(id: ProcessId, signal: NodeJS.Signals): void {
  if (!isAlive(id)) return
  try {
    process.kill(id.pid, signal)
  } catch {
    // The process has just ended.
  }
}

/** A process with all of its descendants, and all processes of the user `uid`. */
export function findProcesses(id: ProcessId | undefined, uid: number | undefined): ProcessId[] {
  const found = new Map<number, ProcessId>()
  const pending = id && isAlive(id) ? [id.pid] : []
  while (pending.length > 0) {
    const pid = pending.pop()!
    const current = found.has(pid) ? undefined : findProcess(pid)
    if (!current) continue
    found.set(pid, current)
    pending.push(...findChildren(pid))
  }
  for (const pid of uid === undefined ? [] : findProcessesOfUser(uid)) {
    const current = findProcess(pid)
    if (current) found.set(pid, current)
  }
  return [...found.values()]
}

/**
 * Waits for the end of a process. Polls, because the process can be the child of another process. @returns whether it ended in
 * time.
 */
export async function endsWithin(id: ProcessId, ms: number): Promise<boolean> {
  return waitUntil(async () => !isAlive(id), { timeoutMs: ms, recheckMs: 10 })
}

/**
 * The start in ticks since this boot: field 22. Fields are counted after the name, which can contain any character; `fields`
 * starts with field 4.
 */
function startTimeOnLinux(pid: number): string | undefined {
  const line = readProcFile(`/proc/${pid}/stat`)
  const [state, ...fields] = line?.slice(line.lastIndexOf(')') + 2).split(' ') ?? []
  return state === undefined || state === 'Z' || state === 'X' ? undefined : `${readBootId()}/${fields[18]}`
}

let bootId: string | undefined
function readBootId(): string {
  bootId ??= readProcFile('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return bootId
}

function startTimeByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}

function findChildren(pid: number): number[] {
  return readNumbers(`/proc/${pid}/task`).flatMap((task) =>
    (readProcFile(`/proc/${pid}/task/${task}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
}

function findProcessesOfUser(uid: number): number[] {
  return readNumbers('/proc').filter((pid) => {
    try {
      return statSync(`/proc/${pid}`).uid === uid
    } catch {
      return false
    }
  })
}

function readNumbers(folder: string): number[] {
  try {
    return readdirSync(folder)
      .map(Number)
      .filter((number) => number > 0)
  } catch (error) {
    if (isTransient(error)) throw error
    return []
  }
}

/** Whether the error is a temporary lack of resources. */
export function isTransient(error: unknown): boolean {
  return transientCodes.has((error as NodeJS.ErrnoException).code ?? '')
}

const transientCodes = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO'])

/** @returns undefined if the file does not exist. @throws Error on a temporary lack of resources. */
function readProcFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isTransient(error)) throw error
    return undefined
  }
}
