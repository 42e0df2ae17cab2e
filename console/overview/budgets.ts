/** A spending limit and its usage. */
export type Budget = {
  id: string
  name: string
  kind: 'guardrail' | 'key'
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

/** The path of a key in its workspace. */
export const keyPath = ({ hash, workspace_id }: { hash: string; workspace_id: string }) =>
  `/keys?q=${hash}&workspace_id=${workspace_id}`

export type Tone = 'ok' | 'warn' | 'bad'

/** The status of a budget. */
export function budgetStatus(budget: Budget): { tone: Tone; text: string } {
  if (budget.spent >= budget.limit) return { tone: 'bad', text: 'limit reached: requests are rejected' }
  if (budget.forecast !== null && budget.forecast > budget.limit)
    return { tone: 'warn', text: 'forecast exceeds the limit' }
  if (budget.spent >= budget.limit * 0.9) return { tone: 'warn', text: 'nearly used up' }
  return { tone: 'ok', text: 'within the limit' }
}
