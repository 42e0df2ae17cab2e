import { repeat } from '#platform/async/reconcile.ts'
import { dayMs, hourMs, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { dayOf } from '../ledger/days.ts'
import { isGroupAccount, isSessionAccount, isTagAccount, sessionOf, tagOf } from './account-id.ts'
import { deleteUnusedNotifications } from './rows/notification-rows.ts'

type PruneDeps = { db: Pick<Db, 'query'>; now: Now }

/** Longer than any period. */
const retentionMs = 40 * dayMs

/**
 * Deletes every hour the accounts of sessions and tag values without a request in the ledger, and their sums of past periods.
 * Without this, each session would leave a row for ever. A deleted account that is used again starts with the sum of the ledger.
 * @returns a function that stops it.
 */
export function startPruningGroupAccounts(deps: PruneDeps & { onError: (error: Error) => void }): () => void {
  return repeat(() => pruneGroupAccounts(deps), { everyMs: hourMs, onError: deps.onError })
}

export async function pruneGroupAccounts({ db, now }: PruneDeps): Promise<void> {
  const before = now() - retentionMs
  const account = sql.ref('budget_periods.budget')
  const tag = tagOf(account)
  await sql`
    delete from budget_periods
     where ${isGroupAccount(account)}
       -- Money in flight is not in the ledger yet. A killed server leaves its lease.
       and not exists (select 1 from budget_leases where budget_leases.budget = ${account} and renewed_at >= ${before})
       and (
         (period > 0 and period < ${dayOf(before)})
         or (${isSessionAccount(account)} and not exists (
           select 1 from generations where session_id = ${sessionOf(account)}
         ))
         or (${isTagAccount(account)} and not exists (
           select 1 from request_tags where name = ${tag.name} and value = ${tag.value}
         ))
       )`.execute(db.query)
  const leased = sql.ref('budget_leases.budget')
  await sql`
    delete from budget_leases
     where ${isGroupAccount(leased)} and renewed_at < ${before}
       and not exists (select 1 from budget_periods where ${account} = ${leased})`.execute(db.query)
  await deleteUnusedNotifications(db.query, before)
}
