/** A budget, or the limit of a guardrail or a key, with its usage. */
export type Budget = {
  id: string
  name: string
  kind: 'guardrail' | 'key' | 'workspace' | 'organization'
  limit: number
  spent: number
  /** The amount that servers reserved for requests. */
  reserved: number
  /** The forecast spend at the end of the period; null without data. */
  forecast: number | null
  interval: Interval | null
  resetsAt: string | null
  path: string
}
type Interval = 'daily' | 'weekly' | 'monthly'

type Tone = 'ok' | 'warn' | 'bad'

const nearlyUsedUpShare = 0.9

/** The status of a budget. */
export function budgetStatus(budget: Budget): { tone: Tone; text: string } {
  if (budget.spent >= budget.limit) return { tone: 'bad', text: 'used up: requests are refused' }
  if (budget.forecast !== null && budget.forecast > budget.limit)
    return { tone: 'warn', text: 'forecast exceeds the limit' }
  if (budget.spent >= budget.limit * nearlyUsedUpShare) return { tone: 'warn', text: 'nearly used up' }
  return { tone: 'ok', text: 'within the limit' }
}
