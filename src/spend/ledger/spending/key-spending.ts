import { isoTime, type Now } from '#platform/core/clock.ts'
import { maxPico, type PicoUsd, toPicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Interval } from '#platform/core/vocabulary.ts'
import type { Db } from '#platform/db/db.ts'
import { periodEnd, periodStart } from '../days.ts'
import { predictSpending } from './forecast.ts'
import { chargedOf, readSpendingOfKeys, type Spending, unconfirmedOf, zeroSpending } from './read-spending.ts'

export type LimitedKey = {
  hash: string
  limit: number | null
  limit_reset: Interval | null
  include_byok_in_limit: boolean
}

type Periods = Record<'total' | Interval, Spending>

/**
 * Reads the spending of keys: in total, and of the current day, week and month, as fields of the key API, in USD.
 * @param chargedLeases the amounts that crashed servers had reserved, which the limit of the key counts as spent.
 */
export async function readKeySpending(
  deps: { db: Db; now: Now },
  keys: LimitedKey[],
  chargedLeases: (key: LimitedKey) => PicoUsd = () => 0n,
) {
  const at = deps.now()
  const hashes = keys.map(({ hash }) => hash)
  const spendingSince = (day: number) => readSpendingOfKeys(deps, hashes, day)
  const [total, daily, weekly, monthly] = await Promise.all([
    spendingSince(0),
    spendingSince(periodStart('daily', at)),
    spendingSince(periodStart('weekly', at)),
    spendingSince(periodStart('monthly', at)),
  ])
  return keys.map((key) => {
    const spendingOfKey = (sums: Map<string, Spending>) => sums.get(key.hash) ?? zeroSpending
    return usageFields(
      key,
      {
        total: spendingOfKey(total),
        daily: spendingOfKey(daily),
        weekly: spendingOfKey(weekly),
        monthly: spendingOfKey(monthly),
      },
      chargedLeases(key),
      at,
    )
  })
}

function usageFields(key: LimitedKey, spent: Periods, chargedLeases: PicoUsd, now: number) {
  return {
    usage: toUsd(spent.total.operator),
    usage_daily: toUsd(spent.daily.operator),
    usage_weekly: toUsd(spent.weekly.operator),
    usage_monthly: toUsd(spent.monthly.operator),
    byok_usage: toUsd(spent.total.byok),
    byok_usage_daily: toUsd(spent.daily.byok),
    byok_usage_weekly: toUsd(spent.weekly.byok),
    byok_usage_monthly: toUsd(spent.monthly.byok),
    unconfirmed_usd: toUsd(spent.total.margin + spent.total.byokMargin),
    ...limitFields(key, spent, chargedLeases, now),
  }
}

const noLimitFields = {
  limit_remaining: null,
  limit_spent: null,
  limit_unconfirmed: null,
  limit_forecast: null,
  limit_resets_at: null,
}

function limitFields(
  { limit, limit_reset, include_byok_in_limit }: LimitedKey,
  periods: Periods,
  chargedLeases: PicoUsd,
  now: number,
) {
  if (limit === null) return noLimitFields
  const period = periods[limit_reset ?? 'total']
  const spent = chargedOf(period, include_byok_in_limit)
  const unconfirmed = unconfirmedOf(period, include_byok_in_limit)
  const forecast = predictSpending(limit_reset, spent, now)
  return {
    limit_remaining: toUsd(maxPico(toPicoUsd(limit) - spent - chargedLeases, 0n)),
    limit_spent: toUsd(spent - unconfirmed),
    limit_unconfirmed: toUsd(unconfirmed + chargedLeases),
    limit_forecast: forecast === null ? null : toUsd(forecast),
    limit_resets_at: limit_reset === null ? null : isoTime(periodEnd(limit_reset, now)),
  }
}
