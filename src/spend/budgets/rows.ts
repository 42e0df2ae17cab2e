import type { RawBuilder } from 'kysely'
import { limitToColumn, maxStorable, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { exactly } from '../ledger/exact.ts'

type Query = Db['query'] | Tx

/** The money of a budget that a server has leased in a period. */
export type Lease = {
  server: string
  period: number
  held: PicoUsd
  /** The server's total spending in the period, as it last reported. */
  spent: PicoUsd
  /** The time of its last report, by the database's clock. */
  renewedAt: number
}

/** The highest threshold of a limit for which webhooks were notified, in percent. */
export type NotifiedThreshold = { interval: string; limit: PicoUsd; percent: number }

export type StoredBudget = {
  /** The database's time. */
  at: number
  /** Undefined if no account of the period is stored. */
  spent: PicoUsd | undefined
  leases: Lease[]
  /** The thresholds that were notified in the period. */
  notified: NotifiedThreshold[]
  /** The percentages at which webhooks are notified; undefined for the default. */
  thresholds?: number[]
}

/**
 * One row of `readBudget`. The meaning of the columns depends on `kind`:
 * - `clock`: `at` is the database's time.
 * - `period`: `spent` is the spending of the account in the period.
 * - `lease`: `spent` and `held` are the amounts of `server` in `period`, `at` the time of its last report.
 * - `notified`: `at` is the percentage, `server` the reset interval, and `spent` the limit.
 * - `thresholds`: `server` has the percentages as JSON.
 */
type BudgetRow = {
  kind: 'clock' | 'period' | 'lease' | 'notified' | 'thresholds'
  at: number
  server: string
  period: number
  spent: string
  held: string
}

const asText = (column: string) => exactly(sql.ref(column))

/**
 * Reads an account in one query, because the caller holds a lock and the database can be remote.
 * @param account the id of an account: of a budget, or of a limit for one key, member, session or tag value.
 */
export async function readBudget(
  query: Query,
  clock: DatabaseClock,
  account: string,
  period: number,
  thresholdOwner = '',
): Promise<StoredBudget> {
  const { rows } = await sql<BudgetRow>`
    select 'clock' as kind, ${clock.at()} as at, '' as server, 0 as period, '0' as spent, '0' as held
    union all
    select 'period', 0, '', period, ${asText('spent_pico')}, '0'
      from budget_periods where budget = ${account} and period = ${period}
    union all
    select 'lease', renewed_at, server, period, ${asText('spent_pico')}, ${asText('held_pico')}
      from budget_leases where budget = ${account}
    union all
    select 'notified', percent, reset_interval, period, ${asText('limit_pico')}, '0'
      from told_limits where budget = ${account} and period = ${period}
    union all
    select 'thresholds', 0, percents, 0, '0', '0'
      from budget_thresholds where owner = ${thresholdOwner}`.execute(query)
  const stored: StoredBudget = { at: 0, spent: undefined, leases: [], notified: [] }
  for (const { kind, at, server, period: rowPeriod, ...row } of rows) {
    const spent = BigInt(row.spent)
    const held = BigInt(row.held)
    if (kind === 'clock') stored.at = at
    else if (kind === 'period') stored.spent = spent
    else if (kind === 'thresholds') stored.thresholds = JSON.parse(server) as number[]
    else if (kind === 'notified') stored.notified.push({ interval: server, limit: spent, percent: at })
    else stored.leases.push({ server, period: rowPeriod, held, spent, renewedAt: at })
  }
  return stored
}

/** The leases of each of these accounts, and the database's time. */
export async function readLeases(
  query: Query,
  clock: DatabaseClock,
  accounts: readonly string[],
): Promise<{ at: number; leases: Map<string, Lease[]> }> {
  const [read, rows] = await Promise.all([
    sql<{ at: number }>`select ${clock.at()} as at`.execute(query),
    query
      .selectFrom('budget_leases')
      .where('budget', 'in', accounts)
      .select(['budget', 'server', 'period', 'renewed_at'])
      .select([asText('held_pico').as('held'), asText('spent_pico').as('spent')])
      .execute(),
  ])
  const leases = Map.groupBy(rows, ({ budget }) => budget)
  return {
    at: Number(read.rows[0]!.at),
    leases: new Map(
      [...leases].map(([account, own]) => [
        account,
        own.map(({ server, period, renewed_at: renewedAt, ...row }) => ({
          ...{ server, period, renewedAt },
          ...{ held: BigInt(row.held), spent: BigInt(row.spent) },
        })),
      ]),
    ),
  }
}

/** The spending of each of these accounts, by period. */
export async function readSpendingOfAccounts(
  query: Query,
  accounts: readonly string[],
): Promise<Map<string, Map<number, PicoUsd>>> {
  const rows = await query
    .selectFrom('budget_periods')
    .where('budget', 'in', accounts)
    .select(['budget', 'period', asText('spent_pico').as('spent')])
    .execute()
  const byAccount = Map.groupBy(rows, ({ budget }) => budget)
  return new Map(
    [...byAccount].map(([account, own]) => [account, new Map(own.map(({ period, spent }) => [period, BigInt(spent)]))]),
  )
}

export async function readSpendingOfPeriods(
  query: Query,
  account: string,
  periods: number[],
): Promise<Map<number, PicoUsd>> {
  const rows = await query
    .selectFrom('budget_periods')
    .where('budget', '=', account)
    .where('period', 'in', periods)
    .select(['period', asText('spent_pico').as('spent')])
    .execute()
  return new Map(rows.map(({ period, spent }) => [period, BigInt(spent)]))
}

export async function insertPeriod(tx: Tx, account: string, period: number, spent: PicoUsd): Promise<void> {
  await tx
    .insertInto('budget_periods')
    .values({ budget: account, period, spent_pico: limitToColumn(spent) })
    .execute()
}

/** Adds spending to the periods that have a row. */
export async function addSpent(tx: Tx, account: string, periods: number[], spent: PicoUsd): Promise<void> {
  const addedAmount = limitToColumn(spent)
  const sum = sql<bigint>`case when spent_pico > ${maxStorable - addedAmount} then ${maxStorable} else spent_pico + ${addedAmount} end`
  await tx
    .updateTable('budget_periods')
    .set({ spent_pico: sum })
    .where('budget', '=', account)
    .where('period', 'in', periods)
    .execute()
}

export async function writeLease(tx: Tx, account: string, { server, period, ...lease }: Lease): Promise<void> {
  const values = { held_pico: lease.held, spent_pico: limitToColumn(lease.spent), renewed_at: lease.renewedAt }
  const key = { budget: account, period, server }
  await upsert(tx, 'budget_leases', [{ ...key, ...values }], { key: ['budget', 'period', 'server'] }).execute()
}

export async function deleteLease(tx: Tx, account: string, { server, period }: Lease): Promise<void> {
  await tx
    .deleteFrom('budget_leases')
    .where('budget', '=', account)
    .where('period', '=', period)
    .where('server', '=', server)
    .execute()
}

/** Deletes leases of periods that are over, if their servers last reported before an instant. */
export async function deleteOldLeases(tx: Tx, account: string, period: number, before: number): Promise<void> {
  await tx
    .deleteFrom('budget_leases')
    .where('budget', '=', account)
    .where('period', '>', 0)
    .where('period', '<', period)
    .where('renewed_at', '<', before)
    .execute()
}

type NewNotifiedThreshold = NotifiedThreshold & { account: string; period: number; at: number }

export async function writeNotifiedThreshold(
  tx: Tx,
  { account, period, interval, limit, percent, at }: NewNotifiedThreshold,
): Promise<void> {
  const row = {
    budget: account,
    period,
    reset_interval: interval,
    limit_pico: limitToColumn(limit),
    percent,
    told_at: at,
  }
  await upsert(tx, 'told_limits', [row], { key: ['budget', 'period', 'reset_interval', 'limit_pico'] }).execute()
}

/** Deletes the sums of periods that started before a day. */
export async function deleteOldPeriods(tx: Tx, account: string, before: number): Promise<void> {
  await tx
    .deleteFrom('budget_periods')
    .where('budget', '=', account)
    .where('period', '>', 0)
    .where('period', '<', before)
    .execute()
}

/** Deletes notifications of earlier periods from before an instant. */
export async function deleteOldNotifications(tx: Tx, account: string, period: number, before: number): Promise<void> {
  await tx
    .deleteFrom('told_limits')
    .where('budget', '=', account)
    .where('period', '>', 0)
    .where('period', '<', period)
    .where('told_at', '<', before)
    .execute()
}

/** Deletes notifications of the accounts of sessions and tag values that have no sums, from before an instant. */
export async function deleteUnusedNotifications(query: Query, before: number): Promise<void> {
  const account = sql.ref('told_limits.budget')
  await query
    .deleteFrom('told_limits')
    .where(isGroupAccount(account))
    .where('told_at', '<', before)
    .where(sql<boolean>`not exists (select 1 from budget_periods where budget_periods.budget = ${account})`)
    .execute()
}

/** Whether an account is one of a session or tag value: see `groupAccounts`. An id of a guardrail has 36 characters. */
export const isGroupAccount = (account: RawBuilder<unknown>) =>
  sql<boolean>`(${account} like 'guardrail:%' and (${isOfSession(account)} or ${isOfTag(account)}))`

export const isOfSession = (account: RawBuilder<unknown>) => sql`substr(${account}, 47, 9) = ':session:'`
export const isOfTag = (account: RawBuilder<unknown>) => sql`substr(${account}, 47, 5) = ':tag:'`

/** Deletes the sums of an account, so that the next request reads them from the ledger. Leases are not deleted. */
export async function deleteSpending(tx: Tx, account: string): Promise<void> {
  await tx.deleteFrom('budget_periods').where('budget', '=', account).execute()
}

/** Deletes the sums of all accounts of a guardrail, one for each member and key. */
export async function deleteGuardrailSpending(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('budget_periods').where('budget', 'like', `guardrail:${id}:%`).execute()
}

/**
 * Deletes the sums of accounts that older servers do not use, so that the next request reads the ledger. Older servers
 * that ran at the same time as newer ones did not count their spending in these accounts.
 */
export async function deleteSpendingMissedByOlderServers(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('budget_periods')
    .where((e) => e.or(['guardrail:%:%', 'workspace:%', 'organization:%'].map((names) => e('budget', 'like', names))))
    .execute()
}
