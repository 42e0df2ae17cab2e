import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process, and when it began: together they name it for good, while a number alone is given away again. */
export type ProcessId = { pid: number; began: string }

/** In the place of a process whose number is not known: no process has it, so it is never alive. */
export const notStarted: ProcessId = { pid: 0, began: '' }

/** The process with this number now; undefined when there is none, or only what is left of one. */
export function processAt(pid: number): ProcessId | undefined {
  const began = process.platform === 'linux' ? beganOnLinux(pid) : beganByPs(pid)
  return began === undefined ? undefined : { pid, began }
}

export function isAlive(id: ProcessId): boolean {
  try {
    return processAt(id.pid)?.began === id.began
  } catch {
    // A process that cannot be looked up is not known to have ended.
    return true
  }
}

/** Never hits a process that has taken over the number. */
export function send(id: ProcessId, signal: NodeJS.Signals): void {
  if (!isAlive(id)) return
  try {
    process.kill(id.pid, signal)
  } catch {
    // It is gone in this very moment.
  }
}

/** A process with all that descends from it, and all that runs as `uid`. */
export function withDescendants(id: ProcessId | undefined, uid: number | undefined): ProcessId[] {
  const found = new Map<number, ProcessId>()
  const open = id && isAlive(id) ? [id.pid] : []
  while (open.length > 0) {
    const pid = open.pop()!
    const known = found.has(pid) ? undefined : processAt(pid)
    if (!known) continue
    found.set(pid, known)
    open.push(...childrenOf(pid))
  }
  for (const pid of uid === undefined ? [] : processesOf(uid)) {
    const known = processAt(pid)
    if (known) found.set(pid, known)
  }
  return [...found.values()]
}

/** @returns whether it had ended by then. */
export async function endsWithin(id: ProcessId, ms: number): Promise<boolean> {
  const until = performance.now() + ms
  while (isAlive(id)) {
    if (performance.now() > until) return false
    await sleep(10)
  }
  return true
}

/** Its start, in ticks since this boot: the 22nd field, counted behind the name, which may hold anything. */
function beganOnLinux(pid: number): string | undefined {
  const line = read(`/proc/${pid}/stat`)
  const [state, ...fields] = line?.slice(line.lastIndexOf(')') + 2).split(' ') ?? []
  return state === undefined || state === 'Z' || state === 'X' ? undefined : `${boot()}/${fields[18]}`
}

let thisBoot: string | undefined
function boot(): string {
  thisBoot ??= read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return thisBoot
}

function beganByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}

function childrenOf(pid: number): number[] {
  return numbersIn(`/proc/${pid}/task`).flatMap((task) =>
    (read(`/proc/${pid}/task/${task}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
}

function processesOf(uid: number): number[] {
  return numbersIn('/proc').filter((pid) => {
    try {
      return statSync(`/proc/${pid}`).uid === uid
    } catch {
      return false
    }
  })
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .map(Number)
      .filter((number) => number > 0)
  } catch (error) {
    if (isTransient(error)) throw error
    return []
  }
}

/** Whether the error is only a temporary lack of resources. */
export function isTransient(error: unknown): boolean {
  return transientCodes.has((error as NodeJS.ErrnoException).code ?? '')
}

const transientCodes = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO'])

/** @returns undefined when there is no such file. @throws Error when that cannot be known now. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isTransient(error)) throw error
    return undefined
  }
}
