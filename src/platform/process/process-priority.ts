import { writeFile } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

const lowest = 19
/** The kernel takes one change of a group a tenth of a second from all users but root together. */
const retry = { times: 20, everyMs: 150 }

/** The niceness of this process and `by` more. */
export function nicenessPlus(by: number): number {
  try {
    return Math.min(lowest, getPriority() + by)
  } catch {
    return Math.min(lowest, by)
  }
}

/**
 * Lets a process at the head of a session, and what it starts, give way to this one: it gets the niceness of this
 * process and `by` more. Where sessions share the processor as groups, as on most Linux desktops and servers, niceness
 * counts only among the processes of one session, so the session gets it too. Best effort: never throws.
 */
export async function lowerPriority(pid: number, by = 0): Promise<void> {
  const niceness = nicenessPlus(by)
  try {
    if (by > 0) setPriority(pid, niceness)
  } catch {
    // It has ended.
  }
  for (let time = 0; time < retry.times; time++) {
    try {
      return await writeFile(`/proc/${pid}/autogroup`, String(niceness))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      await sleep(retry.everyMs, undefined, { ref: false })
    }
  }
}
