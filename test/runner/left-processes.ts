import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

type LeftProcess = { pid: number; command: string }

/** Processes whose command line names a path in `folder`, and that do not end within `graceMs`. */
export async function processesIn(folder: string, graceMs: number): Promise<LeftProcess[]> {
  const deadline = Date.now() + graceMs
  for (;;) {
    const found = find(folder)
    if (found.length === 0 || Date.now() >= deadline) return found
    await sleep(100)
  }
}

/** Kills these processes until there are none: they may start others before they end. */
export async function endProcesses(folder: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const found = find(folder)
    if (found.length === 0) return
    for (const { pid } of found) killIfRunning(pid)
    await sleep(50)
  }
}

function find(folder: string): LeftProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), command: commandOf(name) }))
    .filter(({ pid, command }) => pid !== process.pid && command.includes(`${folder}/`))
}

/** Empty for a process that has ended and for one of the kernel. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended in the meantime.
  }
}
