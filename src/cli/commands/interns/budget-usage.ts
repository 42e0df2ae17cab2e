import type { InternResponse } from '#interns/registry/intern.ts'
import type { InternBudget } from '#interns/registry/intern-budget.ts'
import type { ApiClient } from '../../kit/api-client.ts'
import { usd } from '../../kit/format.ts'
import { internPath } from '../../kit/intern-path.ts'
import { table } from '../../kit/table.ts'

/** The spending of one session. A remaining amount is null without a limit. */
type SessionUsage = {
  id: string
  spent_usd: number
  remaining_usd: number | null
  turns: number
  remaining_turns: number | null
}

/** The limits of an intern, and the spending of its latest sessions if there are limits of sessions. */
type BudgetUsage = { budget: InternBudget | null; sessions: SessionUsage[] }

/** Each session costs two requests. */
const maxSessions = 5

export async function readBudgetUsage(client: ApiClient, intern: string): Promise<BudgetUsage> {
  const { budget } = await client.request<InternResponse>('GET', internPath(intern))
  if (budget?.session_max_cost_usd == null && budget?.session_max_turns == null) return { budget, sessions: [] }
  const path = internPath(intern, `/sessions?limit=${maxSessions}`)
  const { data } = await client.request<{ data: { id: string; turns: number }[] }>('GET', path)
  const sessions = data.map(async ({ id, turns }): Promise<SessionUsage> => {
    const spentUsd = await readSpentUsd(client, intern, id)
    return {
      id,
      spent_usd: spentUsd,
      remaining_usd: remaining(budget.session_max_cost_usd, spentUsd),
      turns,
      remaining_turns: remaining(budget.session_max_turns, turns),
    }
  })
  return { budget, sessions: await Promise.all(sessions) }
}

/** Agents with their own credentials report costs that are not metered; requests of a run in flight are only metered. */
async function readSpentUsd(client: ApiClient, intern: string, session: string): Promise<number> {
  const id = encodeURIComponent(session)
  const [metered, runs] = await Promise.all([
    client.request<{ data: { total_cost_usd: number } }>('GET', internPath(intern, `/sessions/${id}/requests?limit=1`)),
    client.listAllByCursor<{ cost_usd: number | null }>(internPath(intern, `/runs?session_id=${id}`), undefined),
  ])
  const reportedUsd = runs.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0)
  return Math.max(metered.data.total_cost_usd, reportedUsd)
}

const remaining = (limit: number | undefined, spent: number) => (limit == null ? null : Math.max(0, limit - spent))

const headings = ['LIMIT', 'MAXIMUM', 'PERIOD', 'SPENT', 'REMAINING', 'RESETS']

/** A limit of a turn counts from zero with each prompt, so it has no spent amount between two turns. */
export function budgetText(intern: string, { budget, sessions }: BudgetUsage): string {
  if (budget === null) return `"${intern}" has no limits. The budgets of its workspace and organization apply.`
  const rows: string[][] = []
  const addTurnLimit = (name: string, maximum: string) =>
    rows.push([name, maximum, 'each turn', '-', '-', 'next prompt'])
  const addSessionLimit = (name: string, maximum: string, spent: (session: SessionUsage) => [string, string]) => {
    const counted = sessions.map((session) => [`session ${session.id}`, ...spent(session), 'never'])
    for (const cells of counted.length > 0 ? counted : [['each session', '-', '-', 'never']])
      rows.push([name, maximum, ...cells])
  }
  if (budget.max_cost_usd !== undefined) addTurnLimit('cost', `$${budget.max_cost_usd}`)
  if (budget.max_seconds !== undefined) addTurnLimit('working time', `${budget.max_seconds} s`)
  if (budget.session_max_cost_usd !== undefined)
    addSessionLimit('cost', `$${budget.session_max_cost_usd}`, (session) => [
      usd(session.spent_usd),
      usd(session.remaining_usd ?? 0),
    ])
  if (budget.session_max_turns !== undefined)
    addSessionLimit('turns', String(budget.session_max_turns), (session) => [
      String(session.turns),
      String(session.remaining_turns ?? 0),
    ])
  return table(headings, rows)
}
