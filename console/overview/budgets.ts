/** A limit on spending, and how far it is used. */
export type Budget = {
  id: string
  name: string
  kind: 'guardrail' | 'key'
  limit: number
  spent: number
  /** By servers, for requests under way and the next ones. */
  held: number
  /** What will be spent at the end of the running period if it goes on as it did; null where nothing tells. */
  forecast: number | null
  interval: Interval | null
  resetsAt: string | null
  path: string
}
type Interval = 'daily' | 'weekly' | 'monthly'

/** Where a key stands, whatever workspace it is of. */
export const keyPath = ({ hash, workspace_id }: { hash: string; workspace_id: string }) =>
  `/keys?q=${hash}&workspace_id=${workspace_id}`

export type Tone = 'ok' | 'warn' | 'bad'

/** How it stands with a budget: what is used up, what will be. */
export function budgetStatus(budget: Budget): { tone: Tone; says: string } {
  if (budget.spent >= budget.limit) return { tone: 'bad', says: 'limit reached: requests are rejected' }
  if (budget.forecast !== null && budget.forecast > budget.limit)
    return { tone: 'warn', says: 'forecast exceeds the limit' }
  if (budget.spent >= budget.limit * 0.9) return { tone: 'warn', says: 'nearly used up' }
  return { tone: 'ok', says: 'within the limit' }
}
