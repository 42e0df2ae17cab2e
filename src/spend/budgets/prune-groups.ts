import { repeat } from '#platform/async/reconcile.ts'
import { dayMs, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { dayOf } from '../ledger/days.ts'
import { isGroupAccount, isOfSession, isOfTag } from './rows/group-accounts.ts'
import { deleteUnusedNotifications } from './rows/notification-rows.ts'

type PruneDeps = { db: Pick<Db, 'query'>; now: Now }

const intervalMs = 60 * 60_000
/** Longer than any period. */
const retentionMs = 40 * dayMs

/**
 * Deletes every hour the accounts of sessions and tag values without a request in the ledger, and their sums of past periods.
 * Without this, each session would leave a row for ever. A deleted account that is used again starts with the sum of the ledger.
 * @returns a function that stops it.
 */
export function startGroupPruning(deps: PruneDeps & { onError: (error: Error) => void }): () => void {
  return repeat(() => pruneGroups(deps), { everyMs: intervalMs, onError: deps.onError })
}

/**
 * An account is `guardrail:<id>:session:<value>` or `guardrail:<id>:tag:<length of name>:<name>:<value>`: see
 * `groupAccountPrefix`. The id has 36 characters, so `:session:` or `:tag:` starts at character 47.
 * The value of a session follows at 56, the two digits of the length of a tag's name at 52, and that name at 55.
 */
const account = sql.ref('budget_periods.budget')
const isSession = isOfSession(account)
const isTag = isOfTag(account)
/** The number of characters of the tag's name. */
const tagLength = sql`case when ${isTag} then cast(substr(${account}, 52, 2) as integer) else 0 end`

export async function pruneGroups({ db, now }: PruneDeps): Promise<void> {
  const before = now() - retentionMs
  await sql`
    delete from budget_periods
     where ${isGroupAccount(account)}
       -- Money in flight is not in the ledger yet. A killed server leaves its lease.
       and not exists (select 1 from budget_leases where budget_leases.budget = ${account} and renewed_at >= ${before})
       and (
         (period > 0 and period < ${dayOf(before)})
         or (${isSession} and not exists (
           select 1 from generations where session_id = substr(${account}, 56)
         ))
         or (${isTag} and not exists (
           select 1 from request_tags
            where name = substr(${account}, 55, ${tagLength}) and value = substr(${account}, 56 + ${tagLength})
         ))
       )`.execute(db.query)
  const leased = sql.ref('budget_leases.budget')
  await sql`
    delete from budget_leases
     where ${isGroupAccount(leased)} and renewed_at < ${before}
       and not exists (select 1 from budget_periods where ${account} = ${leased})`.execute(db.query)
  await deleteUnusedNotifications(db.query, before)
}
