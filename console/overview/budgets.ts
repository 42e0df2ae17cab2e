/** A limit on spending, and how far it is used. */
export type Budget = {
  id: string
  name: string
  kind: 'guardrail' | 'key'
  limit: number
  spent: number
  interval: Interval | null
  path: string
}
type Interval = 'daily' | 'weekly' | 'monthly'

/** What will be spent at the end of the running period if it goes on as it did; undefined where nothing tells. */
export type Forecast = { amount: number; endsAt: number }

const dayMs = 86_400_000

/** The running period in UTC, as the service counts it: weeks begin on Monday. */
export function periodAt(interval: Interval, now: number): { from: number; to: number } {
  const day = new Date(now)
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()]
  if (interval === 'monthly') return { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) }
  const today = Date.UTC(year, month, day.getUTCDate())
  if (interval === 'daily') return { from: today, to: today + dayMs }
  const from = today - ((day.getUTCDay() + 6) % 7) * dayMs
  return { from, to: from + 7 * dayMs }
}

/** So much of a period must be over before its pace says anything. */
const leastShare = 0.04

export function forecastOf({ spent, interval }: Pick<Budget, 'spent' | 'interval'>, now: number): Forecast | undefined {
  if (interval === null) return undefined
  const { from, to } = periodAt(interval, now)
  const share = (now - from) / (to - from)
  return share < leastShare ? undefined : { amount: spent / share, endsAt: to }
}

export type Tone = 'ok' | 'warn' | 'bad'

/** How it stands with a budget: what is used up, what will be. */
export function standingOf(budget: Budget, forecast: Forecast | undefined): { tone: Tone; says: string } {
  if (budget.spent >= budget.limit) return { tone: 'bad', says: 'used up: requests are refused' }
  if (forecast && forecast.amount > budget.limit) return { tone: 'warn', says: 'will not last at this pace' }
  if (budget.spent >= budget.limit * 0.9) return { tone: 'warn', says: 'nearly used up' }
  return { tone: 'ok', says: 'within the limit' }
}

type Limited = { limit: number | null; limit_remaining: number | null; limit_reset: Interval | null }

/** What a key has spent of its limit. */
export const spentOfKey = ({ limit, limit_remaining }: Limited) => (limit ?? 0) - (limit_remaining ?? 0)
