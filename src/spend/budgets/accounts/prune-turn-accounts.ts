import { repeat } from '#platform/async/reconcile.ts'
import { dayMs, hourMs } from '#platform/core/clock.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'

import { accountId } from '../account-id.ts'

type PruneDeps = {
  db: Pick<Db, 'query'>
  clock: DatabaseClock
  /** The ids of running turns. */
  runningTurns: () => Promise<string[]>
  onError: (error: Error) => void
}

/** The age of the last report from which a lease counts as abandoned. */
const leaseRetentionMs = dayMs

/**
 * Deletes accounts of ended turns and of sessions without stored runs every hour. A deleted account that is used again
 * starts with the sum of the ledger. @returns a function that stops it.
 */
export function startPruningTurnAccounts(deps: PruneDeps): () => void {
  return repeat(() => pruneTurnAccounts(deps), { everyMs: hourMs, onError: deps.onError })
}

export async function pruneTurnAccounts({ db, clock, runningTurns }: Omit<PruneDeps, 'onError'>): Promise<void> {
  const runningAccounts = new Set((await runningTurns()).map(accountId.turn))
  const { rows } = await sql<{ budget: string }>`
    select budget from budget_periods where budget like 'turn:%'
    union select budget from budget_leases where budget like 'turn:%'
    union select budget from budget_periods
      where budget like 'session:%'
        and budget not in (select 'session:' || intern_id || ' ' || session_id from intern_runs)`.execute(db.query)
  for (const { budget } of rows) {
    if (runningAccounts.has(budget)) continue
    // Deletes leases of dead servers: live ones renew theirs twice a second.
    await sql`delete from budget_leases where budget = ${budget} and renewed_at < ${clock.nowSql()} - ${leaseRetentionMs}`.execute(
      db.query,
    )
    await sql`delete from budget_periods where budget = ${budget}
      and not exists (select 1 from budget_leases where budget = ${budget})`.execute(db.query)
  }
}
