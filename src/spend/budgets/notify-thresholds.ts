import { dayMs, isoTime } from '#platform/core/clock.ts'
import { clampToColumn, type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { queueEvent } from '#webhooks/outbox.ts'
import { periodEnd } from '../ledger/days.ts'
import type { Budget, Period } from './budget.ts'
import { findCurrentLimit } from './current-limit.ts'
import { type NotifiedThreshold, writeNotifiedThreshold } from './rows/notification-rows.ts'

/** The percentage above which a limit counts as spent as soon as a request is refused. */
const spentIfRefusedPercent = 80

/** The state of a limit after the report of a server. */
type LimitState = {
  period: Period
  /** The database's time. */
  at: number
  spent: PicoUsd
  /** Whether a request would be refused even if all reservations were released. */
  isRefused: boolean
  /** The thresholds of this period for which webhooks were notified. */
  notifiedThresholds: NotifiedThreshold[]
  /** The percentages at which webhooks are notified, ascending. */
  thresholds: readonly number[]
}

type LimitAmount = Pick<Budget, 'interval' | 'limit'>

/**
 * Returns the highest threshold that is reached, in percent, or 0. A request reserves its maximum cost, so the last cents
 * of a limit are rarely spent. Above 80 % the limit therefore counts as spent when the first request is refused.
 */
function reachedPercent({ limit }: LimitAmount, { spent, isRefused, thresholds }: LimitState): number {
  const isSpent = spent >= limit || (isRefused && spent * 100n >= limit * BigInt(spentIfRefusedPercent))
  return thresholds.findLast((percent) => isSpent || spent * 100n >= limit * BigInt(percent)) ?? 0
}

const intervalText = ({ interval }: LimitAmount) => interval ?? 'never'

function notifiedPercent(budget: LimitAmount, notified: readonly NotifiedThreshold[]): number {
  const previous = notified.find(
    ({ interval, limit }) => interval === intervalText(budget) && limit === clampToColumn(budget.limit),
  )
  return previous?.percent ?? 0
}

/** Whether webhooks must be notified of a threshold. Does not read the database, because this is rare. */
export function crossesThreshold(budget: LimitAmount, state: LimitState): boolean {
  return reachedPercent(budget, state) > notifiedPercent(budget, state.notifiedThresholds)
}

/**
 * Queues the events of a limit once per limit and period, in the transaction that counts the spending. Reads the limit
 * from the database, because this server may have an older one.
 */
export async function notifyThresholds(tx: Tx, publish: Publish, budget: Budget, state: LimitState): Promise<void> {
  const stored = await findCurrentLimit(tx, budget.subject)
  if (stored?.limit === undefined || stored.interval !== budget.interval) return
  const { period, at, notifiedThresholds } = state
  const current = { ...budget, limit: stored.limit }
  // The request was refused under this server's limit. That says nothing about a different stored limit.
  const isRefused = state.isRefused && stored.limit === budget.limit
  const notifiedBefore = notifiedPercent(current, notifiedThresholds)
  const percent = reachedPercent(current, { ...state, isRefused })
  if (percent <= notifiedBefore) return
  const key = { account: budget.id, period, interval: intervalText(budget), limit: stored.limit }
  await writeNotifiedThreshold(tx, { ...key, percent, at })
  for (const threshold of state.thresholds) {
    if (threshold <= notifiedBefore || threshold > percent) continue
    await queueEvent(tx, publish, {
      event: threshold === 100 ? 'limit.spent' : 'limit.nearly_spent',
      // Deduplicates deliveries. Do not change its format: rows in the queue have it.
      deduplicationKey: `limit ${key.account} ${key.interval} ${period} ${key.limit} ${threshold}`,
      at,
      workspaceId: stored.workspaceId,
      data: { ...stored.data, ...amountFields(budget, stored.limit, state), percent: threshold },
    })
  }
}

function amountFields({ interval }: LimitAmount, limit: PicoUsd, { period, spent }: LimitState) {
  const remaining = spent < limit ? limit - spent : 0n
  return {
    limit_usd: toUsd(limit),
    spent_usd: toUsd(spent),
    remaining_usd: toUsd(remaining),
    reset_interval: interval,
    resets_at: interval === null ? null : isoTime(periodEnd(interval, period * dayMs)),
  }
}
