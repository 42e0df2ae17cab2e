import type { Now } from '#platform/core/clock.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'
import { readLeasedByBudget } from '#spend/budgets/leases/leased-money.ts'
import { type LimitedKey, readKeySpending } from '#spend/ledger/spending/key-spending.ts'

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
      'The part of the limit that is charged without a report of a provider in the current period, in USD, with what crashed servers had reserved.',
    ),
  limit_held: z
    .number()
    .nullable()
    .describe('Reserved by servers for requests in flight and following ones, in USD. The unspent part is released.'),
  limit_forecast: z
    .number()
    .nullable()
    .describe(
      'Projected spend at the end of the period, in USD, from the spend so far; null if the limit never resets, or has just reset.',
    ),
  limit_resets_at: z.iso.datetime().nullable().describe('The start of the next period; null for never.'),
})

type UsageDeps = { db: Db; now: Now }

/** Reads the spending of keys. The results are in the order of the keys. */
export async function keyUsages(deps: UsageDeps, keys: LimitedKey[]): Promise<z.infer<typeof KeyUsage>[]> {
  const budgets = keys.flatMap(({ hash, limit, limit_reset: interval }) =>
    limit === null ? [] : [{ id: budgetIdOf(hash), interval }],
  )
  const leases = await readLeasedByBudget(deps.db.query, createDatabaseClock(deps.db, deps.now), budgets, deps.now())
  const leasedBy = ({ hash }: LimitedKey) => leases.get(budgetIdOf(hash)) ?? { held: 0n, unresponsive: 0n, charged: 0n }
  const spending = await readKeySpending(deps, keys, (key) => leasedBy(key).charged)
  return spending.map((figures, index) => {
    const key = keys[index]!
    const { held, unresponsive } = leasedBy(key)
    return { ...figures, limit_held: key.limit === null ? null : toUsd(held + unresponsive) }
  })
}

const budgetIdOf = (hash: string) => `key:${hash}`
