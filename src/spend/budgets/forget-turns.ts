import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'

type ForgetDeps = {
  db: Pick<Db, 'query'>
  clock: DatabaseClock
  /** The ids of turns that are not over. */
  openTurns: () => Promise<string[]>
  onError: (error: Error) => void
}

const everyMs = 60 * 60_000
const dayMs = 86_400_000

/**
 * Forgets accounts of turns that are over and of sessions that no run is kept of. Where one is asked for once more it begins
 * with what the ledger has. @returns the way to end that.
 */
export function keepForgettingTurns(deps: ForgetDeps): () => void {
  const forget = () => void forgetTurns(deps).catch(deps.onError)
  forget()
  const timer = setInterval(forget, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

export async function forgetTurns({ db, clock, openTurns }: Omit<ForgetDeps, 'onError'>): Promise<void> {
  const open = new Set((await openTurns()).map((id) => `turn:${id}`))
  const { rows } = await sql<{ budget: string }>`
    select budget from budget_periods where budget like 'turn:%'
    union select budget from budget_leases where budget like 'turn:%'
    union select budget from budget_periods
      where budget like 'session:%'
        and budget not in (select 'session:' || intern_id || ' ' || session_id from intern_runs)`.execute(db.query)
  for (const { budget } of rows) {
    if (open.has(budget)) continue
    // Of servers that died: all that reports has told of what it held long since.
    await sql`delete from budget_leases where budget = ${budget} and renewed_at < ${clock.at()} - ${dayMs}`.execute(
      db.query,
    )
    await sql`delete from budget_periods where budget = ${budget}
      and not exists (select 1 from budget_leases where budget = ${budget})`.execute(db.query)
  }
}
