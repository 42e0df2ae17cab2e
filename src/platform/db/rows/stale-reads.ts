import { setTimeout as sleep } from 'node:timers/promises'
import { waitAtMost } from '../../async/wait-at-most.ts'
import type { Db } from '../db.ts'
import { sql } from '../kysely.ts'

/** Whether stale values can be used, because the database is unreachable. */
export type AllowStale = () => Promise<boolean>

/** Never allows stale values. */
export const neverStale: AllowStale = async () => false

/** The time limit of the check whether the database answers. */
const responseMs = 500

/**
 * Allows stale values while the database does not answer, for at most `staleMs` after the last time at which all
 * notifications had been received.
 */
export function allowStaleWhileUnavailable({ db }: { db: Pick<Db, 'query' | 'signals'> }, staleMs: number): AllowStale {
  if (staleMs === 0) return neverStale
  const { signals } = db
  let currentCheck: { isUnavailable: Promise<boolean>; since: number } | undefined

  /**
   * Starts a check, which callers share until it has ended, because unanswered checks would use up all connections. After a
   * failure, the next check starts `responseMs` later.
   */
  function startCheck(): Promise<boolean> {
    const result = isUnresponsive(db)
    const check = { isUnavailable: result, since: performance.now() }
    currentCheck = check
    const forget = () => {
      if (currentCheck === check) currentCheck = undefined
    }
    void result.then(async (isUnavailable) => {
      if (isUnavailable) await sleep(responseMs, undefined, { ref: false })
      forget()
    })
    return waitAtMost(responseMs, result, true)
  }

  return async () => {
    if (signals.live() || signals.silentForMs() >= staleMs) return false
    if (!currentCheck) return startCheck()
    const remainingMs = Math.max(0, currentCheck.since + responseMs - performance.now())
    return waitAtMost(remainingMs, currentCheck.isUnavailable, true)
  }
}

async function isUnresponsive(db: Pick<Db, 'query'>): Promise<boolean> {
  try {
    await sql`select 1`.execute(db.query)
    return false
  } catch {
    return true
  }
}
