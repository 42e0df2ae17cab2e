import { clampToColumn, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { isGroupAccount } from '../account-id.ts'
import type { Period } from '../budget.ts'

/** The highest threshold of a limit for which webhooks were notified, in percent. */
export type NotifiedThreshold = { interval: string; limit: PicoUsd; percent: number }

type NewNotifiedThreshold = NotifiedThreshold & { account: string; period: Period; at: number }

export async function writeNotifiedThreshold(
  tx: Tx,
  { account, period, interval, limit, percent, at }: NewNotifiedThreshold,
): Promise<void> {
  const row = {
    budget: account,
    period,
    reset_interval: interval,
    limit_pico: clampToColumn(limit),
    percent,
    told_at: at,
  }
  await upsert(tx, 'told_limits', [row], { key: ['budget', 'period', 'reset_interval', 'limit_pico'] }).execute()
}

/** Deletes notifications of earlier periods from before an instant. Period 0 is that of limits that never reset. */
export async function deleteOldNotifications(tx: Tx, account: string, period: Period, before: number): Promise<void> {
  await tx
    .deleteFrom('told_limits')
    .where('budget', '=', account)
    .where('period', '>', 0)
    .where('period', '<', period)
    .where('told_at', '<', before)
    .execute()
}

/** Deletes notifications of the accounts of sessions and tag values that have no sums, from before an instant. */
export async function deleteUnusedNotifications(query: Db['query'] | Tx, before: number): Promise<void> {
  const account = sql.ref('told_limits.budget')
  await query
    .deleteFrom('told_limits')
    .where(isGroupAccount(account))
    .where('told_at', '<', before)
    .where(sql<boolean>`not exists (select 1 from budget_periods where budget_periods.budget = ${account})`)
    .execute()
}
