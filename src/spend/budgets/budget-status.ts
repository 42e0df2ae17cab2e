import { isoTime, type Now } from '#platform/core/clock.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { predictSpending } from '../ledger/spending/forecast.ts'
import { chargedOf, type Spending, unconfirmedOf, zeroSpending } from '../ledger/spending/spending.ts'
import { type PersistentBudget, periodOf, resetsAt } from './budget.ts'
import { type LeasedAmounts, sumLeases } from './leases/leases.ts'
import { readLedgerSpending } from './ledger-spending.ts'
import { readLeases } from './rows/lease-rows.ts'
import { readSpendingOfAccounts } from './rows/spending-rows.ts'

/** The amounts of a limit in its current period. The limit counts `spent`, `unconfirmed` and `unaccounted` as used. */
export type BudgetStatus = {
  spent: PicoUsd
  /** Charged in addition to `spent`, because no provider reported the billed amount. */
  unconfirmed: PicoUsd
  /** Leased by servers that no longer report. */
  unaccounted: PicoUsd
  /** Reserved for requests in flight, or available for later ones. */
  held: PicoUsd
  forecast: PicoUsd | null
  resetsAt: number | null
}

type StatusDeps = { db: Pick<Db, 'kind' | 'query'>; now: Now }

/** Reads the status of the budget of each item, and adds it to the item. */
export async function addStatuses<Item extends { budget: PersistentBudget }>(
  deps: StatusDeps,
  items: readonly Item[],
): Promise<(Item & { status: BudgetStatus })[]> {
  const at = deps.now()
  const [accounts, ledgerSums] = await Promise.all([
    readAccountSums(
      deps,
      items.map(({ budget }) => budget),
      at,
    ),
    Promise.all(items.map(({ budget }) => readLedgerSpending(deps, budget, periodOf(budget, at)))),
  ])
  return items.map((item, index) => {
    const ledger = ledgerSums[index] ?? zeroSpending
    return { ...item, status: computeBudgetStatus(item.budget, accounts.get(item.budget), ledger, at) }
  })
}

/** The sums of a budget's account in the current period. */
export type AccountSums = {
  /** The spending that servers have reported. Undefined if no server has opened the account. */
  counted: PicoUsd | undefined
  leased: LeasedAmounts
}

const noAccount: AccountSums = { counted: undefined, leased: { held: 0n, unresponsive: 0n, unaccounted: 0n } }

/** Reads the account of each budget. */
export async function readAccountSums(
  { db, now }: StatusDeps,
  budgets: readonly PersistentBudget[],
  at: number,
): Promise<Map<PersistentBudget, AccountSums>> {
  if (budgets.length === 0) return new Map()
  const ids = budgets.map(({ id }) => id)
  const [{ at: databaseAt, leases }, accounts] = await Promise.all([
    readLeases(db.query, createDatabaseClock(db, now), ids),
    readSpendingOfAccounts(db.query, ids),
  ])
  const sumsOf = (budget: PersistentBudget): AccountSums => {
    const period = periodOf(budget, at)
    return {
      counted: accounts.get(budget.id)?.get(period),
      leased: sumLeases(budget, period, { at: databaseAt, leases: leases.get(budget.id) ?? [] }),
    }
  }
  return new Map(budgets.map((budget) => [budget, sumsOf(budget)]))
}

/** @param ledgerSums the spending of the current period in the ledger. */
export function computeBudgetStatus(
  budget: PersistentBudget,
  { counted, leased }: AccountSums = noAccount,
  ledgerSums: Spending,
  at: number,
): BudgetStatus {
  const charged = counted ?? chargedOf(ledgerSums, budget.includesByok)
  const margin = unconfirmedOf(ledgerSums, budget.includesByok)
  // The ledger can have newer requests than the account, because they are not read in one transaction.
  const spent = charged > margin ? charged - margin : 0n
  return {
    spent,
    unconfirmed: charged - spent,
    unaccounted: leased.unaccounted,
    held: leased.held + leased.unresponsive,
    forecast: predictSpending(budget.interval, charged, at),
    resetsAt: resetsAt(budget, at),
  }
}

/** The amount that the limit counts as used. */
export const usedAmount = ({ spent, unconfirmed, unaccounted }: BudgetStatus): PicoUsd =>
  spent + unconfirmed + unaccounted

/** The fields of a response, with amounts in USD. */
export function toStatusFields({ spent, unconfirmed, unaccounted, held, forecast, resetsAt: resetTime }: BudgetStatus) {
  return {
    spent_usd: toUsd(spent + unaccounted),
    unconfirmed_usd: toUsd(unconfirmed),
    held_usd: toUsd(held),
    forecast_usd: forecast === null ? null : toUsd(forecast),
    resets_at: resetTime === null ? null : isoTime(resetTime),
  }
}
