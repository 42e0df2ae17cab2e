import type { Db } from '#db/db.ts'
import type { Now } from '#lib/clock.ts'
import { type PicoUsd, picoUsdOf, toUsd } from '#lib/pico-usd.ts'
import type { Interval } from '#lib/vocabulary.ts'
import { periodStart } from './days.ts'
import { chargedOf, nothingSpent, type Spending, spendingOfKeys } from './read.ts'

export type LimitedKey = {
  hash: string
  limit: number | null
  limit_reset: Interval | null
  include_byok_in_limit: boolean
}

type Periods = Record<'total' | Interval, Spending>

/** The spending of keys in all and in the running day, week and month, in USD, in the form of the key API. */
export async function keySpending(deps: { db: Db; now: Now }, keys: LimitedKey[]) {
  const at = deps.now()
  const hashes = keys.map(({ hash }) => hash)
  const since = (day: number) => spendingOfKeys(deps, hashes, day)
  const [total, daily, weekly, monthly] = await Promise.all([
    since(0),
    since(periodStart('daily', at)),
    since(periodStart('weekly', at)),
    since(periodStart('monthly', at)),
  ])
  return keys.map((key) => {
    const spentBy = (sums: Map<string, Spending>) => sums.get(key.hash) ?? nothingSpent
    return figuresOf(key, {
      total: spentBy(total),
      daily: spentBy(daily),
      weekly: spentBy(weekly),
      monthly: spentBy(monthly),
    })
  })
}

function figuresOf(key: LimitedKey, spent: Periods) {
  return {
    usage: toUsd(spent.total.total),
    usage_daily: toUsd(spent.daily.total),
    usage_weekly: toUsd(spent.weekly.total),
    usage_monthly: toUsd(spent.monthly.total),
    byok_usage: toUsd(spent.total.byok),
    byok_usage_daily: toUsd(spent.daily.byok),
    byok_usage_weekly: toUsd(spent.weekly.byok),
    byok_usage_monthly: toUsd(spent.monthly.byok),
    limit_remaining: key.limit === null ? null : toUsd(remaining(key, key.limit, spent)),
  }
}

function remaining({ limit_reset, include_byok_in_limit }: LimitedKey, limit: number, spent: Periods): PicoUsd {
  const left = picoUsdOf(limit) - chargedOf(spent[limit_reset ?? 'total'], include_byok_in_limit)
  return left > 0n ? left : 0n
}
