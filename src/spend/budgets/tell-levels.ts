import { isoTime } from '#platform/core/clock.ts'
import { keepable, type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Announce } from '#platform/db/signals.ts'
import { queueTold } from '#webhooks/outbox.ts'
import { periodEnd } from '../ledger/days.ts'
import type { Budget } from './budget.ts'
import { limitInForce } from './limit-in-force.ts'
import { type ToldLevel, writeTold } from './rows.ts'

/** How much of a limit is spent when webhooks are told, in a hundred. */
const levels = [
  { percent: 80, event: 'limit.nearly_spent' },
  { percent: 100, event: 'limit.spent' },
] as const

const dayMs = 86_400_000

/** How a limit stands when a server has reported. */
export type LimitStanding = {
  period: number
  /** The database's time. */
  at: number
  spent: PicoUsd
  /** Whether a request is refused for want of room, even if all that is held were given back. */
  isRefused: boolean
  /** What was told in this period already. */
  told: ToldLevel[]
}

type Limited = Pick<Budget, 'interval' | 'limit'>

/**
 * The level that is reached, or 0. The last cents of a limit are seldom spent, because a request sets aside the most that
 * it may cost: so it is spent, too, once the first one is refused above 80 %.
 */
function levelOf({ limit }: Limited, { spent, isRefused }: LimitStanding): number {
  if (spent >= limit) return 100
  if (spent * 100n < limit * 80n) return 0
  return isRefused ? 100 : 80
}

const intervalText = ({ interval }: Limited) => interval ?? 'never'

function toldOf(budget: Limited, told: readonly ToldLevel[]): number {
  const same = told.find((one) => one.interval === intervalText(budget) && one.limit === keepable(budget.limit))
  return same?.percent ?? 0
}

/** Whether a level is reached that was not told yet. It asks nobody: nearly always it is not. */
export function isNews(budget: Limited, standing: LimitStanding): boolean {
  return levelOf(budget, standing) > toldOf(budget, standing.told)
}

/**
 * Queues what webhooks are told of a limit, in the transaction that counts what was spent: once for each limit and
 * period. The limit is the one that the database has, for this server may know an older one.
 */
export async function tellLevels(tx: Tx, announce: Announce, budget: Budget, standing: LimitStanding): Promise<void> {
  const inForce = await limitInForce(tx, budget.subject)
  if (inForce?.limit === undefined || inForce.interval !== budget.interval) return
  const { period, at, told } = standing
  const current = { ...budget, limit: inForce.limit }
  const isRefused = standing.isRefused && inForce.limit === budget.limit
  const [before, percent] = [toldOf(current, told), levelOf(current, { ...standing, isRefused })]
  if (percent <= before) return
  const about = { budget: budget.id, period, interval: intervalText(budget), limit: inForce.limit }
  await writeTold(tx, { ...about, percent, at })
  for (const level of levels) {
    if (level.percent <= before || level.percent > percent) continue
    await queueTold(tx, announce, {
      event: level.event,
      subject: `limit ${about.budget} ${about.interval} ${period} ${about.limit} ${level.percent}`,
      at,
      workspaceId: inForce.workspaceId,
      data: { ...inForce.data, ...dataOf(budget, inForce.limit, standing), percent: level.percent },
    })
  }
}

function dataOf({ interval }: Limited, limit: PicoUsd, { period, spent }: LimitStanding) {
  const left = spent < limit ? limit - spent : 0n
  return {
    ...{ limit_usd: toUsd(limit), spent_usd: toUsd(spent), remaining_usd: toUsd(left) },
    reset_interval: interval,
    resets_at: interval === null ? null : isoTime(periodEnd(interval, period * dayMs)),
  }
}
