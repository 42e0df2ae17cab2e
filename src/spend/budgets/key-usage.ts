import type { Now } from '#platform/core/clock.ts'
import { maxPico, toUsd } from '#platform/core/pico-usd.ts'
import type { Interval } from '#platform/core/vocabulary.ts'
import type { Db } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'
import { periodStart } from '../ledger/days.ts'
import { chargedOf, readSpendingOfKeys, type Spending, zeroSpending } from '../ledger/spending/spending.ts'
import type { PersistentBudget } from './budget.ts'
import {
  type AccountSums,
  type BudgetStatus,
  computeBudgetStatus,
  readAccountSums,
  toStatusFields,
  usedAmount,
} from './budget-status.ts'
import { keyBudget } from './key-budget.ts'

const Usd = z.number().describe('In USD.')

/** The spending of a key: with this service's provider credentials, and with the caller's (`byok`). */
export const KeyUsage = z.object({
  usage: Usd,
  usage_daily: Usd,
  usage_weekly: Usd,
  usage_monthly: Usd,
  byok_usage: Usd,
  byok_usage_daily: Usd,
  byok_usage_weekly: Usd,
  byok_usage_monthly: Usd,
  limit_remaining: z.number().nullable().describe('Remaining amount of the limit, in USD; null without a limit.'),
  unconfirmed_usd: z
    .number()
    .describe(
      'Charged to limits in USD in addition to `usage` and `byok_usage`, because no provider reported what it billed.',
    ),
  limit_spent: z
    .number()
    .nullable()
    .describe('Spend in the current period of the limit, in USD, without `limit_unconfirmed`.'),
  limit_unconfirmed: z
    .number()
    .nullable()
    .describe(
      'The amount in USD that the limit was charged in the current period without the report of a provider. Includes the reservations of crashed servers.',
    ),
  limit_held: z
    .number()
    .nullable()
    .describe(
      'Reserved by servers for requests in flight and the next requests, in USD. The unspent part is released.',
    ),
  limit_forecast: z
    .number()
    .nullable()
    .describe(
      'Projected spend at the end of the period, in USD, from the spend so far; null if the limit never resets, or has just reset.',
    ),
  limit_resets_at: z.iso.datetime().nullable().describe('The start of the next period; null for never.'),
})
export type KeyUsage = z.infer<typeof KeyUsage>

/** A key with its limit in USD; null without a limit. */
type LimitedKey = {
  hash: string
  limit: number | null
  limit_reset: Interval | null
  include_byok_in_limit: boolean
}

/** The spending of one key, in total and in the current period of each interval. */
type PeriodSums = Record<'total' | Interval, Spending>

/**
 * Reads the spending of keys and the state of their limits.
 * @returns a function that gives the usage of one of these keys.
 */
export async function readKeyUsage(
  deps: { db: Db; now: Now },
  keys: readonly LimitedKey[],
): Promise<(key: Pick<LimitedKey, 'hash'>) => KeyUsage> {
  const at = deps.now()
  const budgets = new Map(keys.map((key) => [key.hash, limitOf(key)]))
  const limits = [...budgets.values()].filter((budget) => budget !== undefined)
  const [sums, accounts] = await Promise.all([readPeriodSums(deps, keys, at), readAccountSums(deps, limits, at)])
  return ({ hash }) => {
    const spending = sums.get(hash) ?? zeroSums
    const budget = budgets.get(hash)
    if (!budget) return { ...usageFields(spending), ...noLimitFields }
    const ledgerSums = spending[budget.interval ?? 'total']
    const status = computeBudgetStatus(
      budget,
      withLedgerMinimum(ledgerSums, budget, accounts.get(budget)),
      ledgerSums,
      at,
    )
    return { ...usageFields(spending), ...limitFields(budget, status) }
  }
}

/**
 * Servers report to the account twice a second, so `usage` can already contain a request that the account lacks. Then the
 * sums of the ledger count, so that `usage` and `limit_remaining` add up to the limit.
 */
function withLedgerMinimum(ledgerSums: Spending, { includesByok }: PersistentBudget, account: AccountSums | undefined) {
  if (account?.counted === undefined) return account
  return { ...account, counted: maxPico(account.counted, chargedOf(ledgerSums, includesByok)) }
}

const zeroSums: PeriodSums = { total: zeroSpending, daily: zeroSpending, weekly: zeroSpending, monthly: zeroSpending }

function limitOf({ hash, limit, limit_reset, include_byok_in_limit }: LimitedKey): PersistentBudget | undefined {
  if (limit === null) return undefined
  return keyBudget(hash, { usd: limit, reset: limit_reset, includesByok: include_byok_in_limit })
}

/** Reads the sums of keys, by hash. */
async function readPeriodSums(
  deps: { db: Db },
  keys: readonly LimitedKey[],
  at: number,
): Promise<Map<string, PeriodSums>> {
  const hashes = keys.map(({ hash }) => hash)
  const [total, daily, weekly, monthly] = await Promise.all([
    readSpendingOfKeys(deps, hashes, 0),
    readSpendingOfKeys(deps, hashes, periodStart('daily', at)),
    readSpendingOfKeys(deps, hashes, periodStart('weekly', at)),
    readSpendingOfKeys(deps, hashes, periodStart('monthly', at)),
  ])
  const sumsOf = (hash: string): PeriodSums => ({
    total: total.get(hash) ?? zeroSpending,
    daily: daily.get(hash) ?? zeroSpending,
    weekly: weekly.get(hash) ?? zeroSpending,
    monthly: monthly.get(hash) ?? zeroSpending,
  })
  return new Map(hashes.map((hash) => [hash, sumsOf(hash)]))
}

function usageFields({ total, daily, weekly, monthly }: PeriodSums) {
  return {
    usage: toUsd(total.operator),
    usage_daily: toUsd(daily.operator),
    usage_weekly: toUsd(weekly.operator),
    usage_monthly: toUsd(monthly.operator),
    byok_usage: toUsd(total.byok),
    byok_usage_daily: toUsd(daily.byok),
    byok_usage_weekly: toUsd(weekly.byok),
    byok_usage_monthly: toUsd(monthly.byok),
    unconfirmed_usd: toUsd(total.margin + total.byokMargin),
  }
}

const noLimitFields = {
  limit_remaining: null,
  limit_spent: null,
  limit_unconfirmed: null,
  limit_held: null,
  limit_forecast: null,
  limit_resets_at: null,
}

function limitFields({ limit }: PersistentBudget, status: BudgetStatus) {
  const { held_usd, forecast_usd, resets_at } = toStatusFields(status)
  return {
    limit_remaining: toUsd(maxPico(limit - usedAmount(status), 0n)),
    limit_spent: toUsd(status.spent),
    // Other limits have what crashed servers had reserved in `spent_usd`.
    limit_unconfirmed: toUsd(status.unconfirmed + status.unaccounted),
    limit_held: held_usd,
    limit_forecast: forecast_usd,
    limit_resets_at: resets_at,
  }
}
