import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** The variable in the environment of an agent, which its children inherit: by it they are known as this intern's. */
export const markName = 'SIGNALBOX_AGENT_OF'

/** The beginning of all marks of one intern; each agent process has one of its own behind it. */
export function markOf(workspace: string): string {
  return createHash('sha256').update(workspace).digest('hex').slice(0, 32)
}

/** Ends every process whose mark begins so, wherever it has gone. Only on Linux can they be found. */
export function endMarked(mark: string): void {
  for (const pid of processes()) {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
      if (environment.includes(`${markName}=${mark}`)) process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already, or not ours to see.
    }
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
