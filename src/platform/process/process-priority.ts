import { writeFile } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'
import { retry } from '../async/retry.ts'

/** The highest niceness, which is the lowest priority. */
const maxNiceness = 19

/** The kernel accepts one autogroup change per 100 ms, shared by all users except root. */
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
 * Sets the niceness of the session leader `pid` to this process's niceness plus `by`. With 0 only the autogroup is set, because a
 * child inherits the niceness. With autogroup scheduling, as on most Linux systems, niceness counts only within a session, so
 * the autogroup of the session gets the same niceness. Never throws.
 */
export async function lowerPriority(pid: number, by = 0): Promise<void> {
  const niceness = nicenessPlus(by)
  try {
    if (by > 0) setPriority(pid, niceness)
  } catch {
    // The process has ended.
  }
  const isBusy = ({ code }: NodeJS.ErrnoException) => code === 'EAGAIN'
  await retry(
    () => writeFile(`/proc/${pid}/autogroup`, String(niceness)),
    (failures, error) => (failures < retryLimits.maxAttempts && isBusy(error) ? retryLimits.pauseMs : undefined),
    { ref: false },
  ).catch(() => {})
}
