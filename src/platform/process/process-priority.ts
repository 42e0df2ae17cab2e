import { writeFile } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'
import { retry } from '../async/retry.ts'

/** The highest niceness, which is the lowest priority. */
const maxNiceness = 19

/** The kernel accepts one change of a group per tenth of a second, from all users except root together. */
const retryLimits = { maxAttempts: 20, pauseMs: 150 }

/** The niceness of this process, increased by `by`. */
export function nicenessPlus(by: number): number {
  try {
    return Math.min(maxNiceness, getPriority() + by)
  } catch {
    return Math.min(maxNiceness, by)
  }
}

/**
 * Lowers the priority of a session leader and its children: sets the niceness of this process, increased by `by`. With autogroup
 * scheduling, as on most Linux systems, niceness counts only within a session, so the session gets it as well. Never throws.
 */
export async function lowerPriority(pid: number, by = 0): Promise<void> {
  const niceness = nicenessPlus(by)
  try {
    if (by > 0) setPriority(pid, niceness)
  } catch {
    // It has ended.
  }
  const isBusy = ({ code }: NodeJS.ErrnoException) => code === 'EAGAIN'
  await retry(
    () => writeFile(`/proc/${pid}/autogroup`, String(niceness)),
    (failures, error) => (failures < retryLimits.maxAttempts && isBusy(error) ? retryLimits.pauseMs : undefined),
    { ref: false },
  ).catch(() => {})
}
