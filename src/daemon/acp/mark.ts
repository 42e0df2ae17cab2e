import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'

/** The variable in the environment of an agent, which its children inherit: by it they are known as this intern's. */
export const markName = 'SIGNALBOX_AGENT_OF'

/** The beginning of all marks of one intern; each agent process has one of its own behind it. */
export function markOf(workspace: string): string {
  return createHash('sha256').update(workspace).digest('hex').slice(0, 32)
}

/** How much of an environment is searched; no sane one is larger. */
const searchedBytes = 256 * 1024

/** Ends every process whose mark begins so, wherever it has gone. Only on Linux can they be found. */
export function endMarked(mark: string): void {
  // One buffer for all: reading each file whole would cost a small daemon a good part of its memory.
  const buffer = Buffer.allocUnsafeSlow(searchedBytes)
  for (const pid of processes()) {
    try {
      if (environmentOf(pid, buffer).includes(`${markName}=${mark}`)) process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already, or not ours to see.
    }
  }
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
  } catch {
    return []
  }
}
