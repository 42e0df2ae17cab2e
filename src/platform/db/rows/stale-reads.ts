import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db.ts'
import { sql } from '../kysely.ts'

/** Whether stale values can be used, because the database is unreachable. */
export type AllowStale = () => Promise<boolean>

/** Stale values are never used. */
export const neverStale: AllowStale = async () => false

/** The time limit of the check whether the database answers. */
const answerMs = 500

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
   * failure, the next check starts `answerMs` later.
   */
  function startCheck(): Promise<boolean> {
    const result = failsToAnswer(db)
    const check = { isUnavailable: result, since: performance.now() }
    currentCheck = check
    const forget = () => {
      if (currentCheck === check) currentCheck = undefined
    }
    void result.then(async (isUnavailable) => {
      if (isUnavailable) await sleep(answerMs, undefined, { ref: false })
      forget()
    })
    return isUnavailableWithin(result, answerMs)
  }

  return async () => {
    if (signals.live() || signals.silentForMs() >= staleMs) return false
    if (!currentCheck) return startCheck()
    return isUnavailableWithin(currentCheck.isUnavailable, currentCheck.since + answerMs - performance.now())
  }
}

async function failsToAnswer(db: Pick<Db, 'query'>): Promise<boolean> {
  try {
    await sql`select 1`.execute(db.query)
    return false
  } catch {
    return true
  }
}

/** Returns the result of a check; true if it does not end in time. */
function isUnavailableWithin(isUnavailable: Promise<boolean>, ms: number): Promise<boolean> {
  return Promise.race([isUnavailable, sleep(Math.max(0, ms), true, { ref: false })])
}
