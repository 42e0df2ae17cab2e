import { clampToColumn, maxStorable, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Day } from '../../ledger/days.ts'
import { exactText } from '../../ledger/sums/exact.ts'
import type { Period } from '../budget.ts'

// The column `budget` has the id of an account.

type Query = Db['query'] | Tx

/** The spending of each of these accounts, by period. */
export async function readSpendingOfAccounts(
  query: Query,
  accounts: readonly string[],
): Promise<Map<string, Map<Period, PicoUsd>>> {
  const rows = await query
    .selectFrom('budget_periods')
    .where('budget', 'in', accounts)
    .select(['budget', 'period', exactText('spent_pico').as('spent')])
    .execute()
  const byAccount = Map.groupBy(rows, ({ budget }) => budget)
  return new Map(
    [...byAccount].map(([account, accountRows]) => [
      account,
      new Map(accountRows.map(({ period, spent }) => [period, BigInt(spent)])),
    ]),
  )
}

export async function readSpendingOfPeriods(
  query: Query,
  account: string,
  periods: readonly Period[],
): Promise<Map<Period, PicoUsd>> {
  const rows = await query
    .selectFrom('budget_periods')
    .where('budget', '=', account)
    .where('period', 'in', periods)
    .select(['period', exactText('spent_pico').as('spent')])
    .execute()
  return new Map(rows.map(({ period, spent }) => [period, BigInt(spent)]))
}

export async function insertPeriod(tx: Tx, account: string, period: Period, spent: PicoUsd): Promise<void> {
  await tx
    .insertInto('budget_periods')
    .values({ budget: account, period, spent_pico: clampToColumn(spent) })
    .execute()
}

/** Adds spending to the periods that have a row. */
export async function addSpent(tx: Tx, account: string, periods: readonly Period[], spent: PicoUsd): Promise<void> {
  const addedAmount = clampToColumn(spent)
  const sum = sql<bigint>`case when spent_pico > ${maxStorable - addedAmount} then ${maxStorable} else spent_pico + ${addedAmount} end`
  await tx
    .updateTable('budget_periods')
    .set({ spent_pico: sum })
    .where('budget', '=', account)
    .where('period', 'in', periods)
    .execute()
}

/** Deletes the sums of periods that started before a day. Period 0 belongs to budgets that never reset, and stays. */
export async function deleteOldPeriods(tx: Tx, account: string, before: Day): Promise<void> {
  await tx
    .deleteFrom('budget_periods')
    .where('budget', '=', account)
    .where('period', '>', 0)
    .where('period', '<', before)
    .execute()
}

/** Deletes the sums of an account, so that the next request reads them from the ledger. Leases are not deleted. */
export async function deleteSpending(tx: Tx, account: string): Promise<void> {
  await tx.deleteFrom('budget_periods').where('budget', '=', account).execute()
}

/** Deletes the sums of the accounts of a guardrail that start with one of these prefixes. */
export async function deleteGuardrailSpending(tx: Tx, id: string, prefixes: readonly string[]): Promise<void> {
  for (const prefix of prefixes) {
    await tx
      .deleteFrom('budget_periods')
      .where('budget', 'like', `guardrail:${id}:%`)
      // A prefix can contain the wildcards of `like`, because it has the name of a tag.
      .where(sql<boolean>`substr(budget, 1, length(${prefix})) = ${prefix}`)
      .execute()
  }
}

/**
 * Deletes the sums of accounts that servers of an older version do not use, after the last such server has stopped. During
 * the upgrade, these servers did not count their spending in these accounts. The next request reads the sums from the ledger.
 */
export async function deleteIncompleteSums(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('budget_periods')
    .where((e) =>
      e.or(['guardrail:%:%', 'workspace:%', 'organization:%'].map((pattern) => e('budget', 'like', pattern))),
    )
    .execute()
}
