import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db.ts'
import { sql } from '../kysely.ts'

/** Whether stale values may be used, because the database is away. */
export type AllowStale = () => boolean | Promise<boolean>

/** Stale values are never used. */
export const neverStale: AllowStale = () => false

/** The database must answer within this time, or it counts as away. */
const answerMs = 500

/**
 * Allows stale values for `staleMs` after the last moment at which all notifications were surely heard, and only while
 * the database does not answer.
 */
export function staleWhileAway({ db }: { db: Pick<Db, 'query' | 'signals'> }, staleMs: number): AllowStale {
  if (staleMs === 0) return neverStale
  const { signals } = db
  let asking: { away: Promise<boolean>; since: number } | undefined

  /** One question at a time: those that nobody answers would take every connection. */
  function ask(): Promise<boolean> {
    const answered = doesNotAnswer(db)
    const asked = { away: answered, since: performance.now() }
    asking = asked
    const forget = () => {
      if (asking === asked) asking = undefined
    }
    void answered.then((away) => (away ? void sleep(answerMs, undefined, { ref: false }).then(forget) : forget()))
    return inTime(answered, answerMs)
  }

  return () => {
    if (signals.live() || signals.silentForMs() >= staleMs) return false
    if (!asking) return ask()
    return inTime(asking.away, asking.since + answerMs - performance.now())
  }
}

async function doesNotAnswer(db: Pick<Db, 'query'>): Promise<boolean> {
  try {
    await sql`select 1`.execute(db.query)
    return false
  } catch {
    return true
  }
}

function inTime(away: Promise<boolean>, ms: number): Promise<boolean> {
  return Promise.race([away, sleep(Math.max(0, ms), true, { ref: false })])
}
