import { setTimeout as sleep } from 'node:timers/promises'
import type { Query } from '#db/db.ts'
import { Fault } from '#lib/fault.ts'
import { budgetOfTurn, type InternBudget, type PromptBudget } from './budget.ts'
import { sessionSpending } from './run-spending.ts'
import type { Runs } from './runs.ts'
import { type TurnBudget, usd } from './turn-budget.ts'
import type { Spent } from './watch-spending.ts'

type BudgetDeps = { db: { query: Query }; spent: Spent }
type Prompted = { id: string; budget: InternBudget | null }

/** A turn that is over is written down within this; the next one of its session waits for it so long. */
const writtenWithinMs = 2000
const lookEveryMs = 50

/**
 * What the next turn of a session may take. @throws Fault `forbidden` where the session may have no more of them: no
 * reason of the chat route stands for that, as for limits of guardrails.
 */
export async function budgetForPrompt(
  deps: BudgetDeps,
  { id, budget }: Prompted,
  runs: Pick<Runs, 'transcripts'>,
  { sessionId, asked }: { sessionId: string | undefined; asked: PromptBudget | null | undefined },
): Promise<TurnBudget | undefined> {
  if (sessionId === undefined) return budgetOfTurn(budget, asked, 0)
  if (budget?.session_max_turns != null) await requireTurnLeft(runs, sessionId, budget.session_max_turns)
  if (budget?.session_max_cost_usd == null) return budgetOfTurn(budget, asked, 0)
  const spent = await spentBy(deps, id, sessionId)
  if (spent >= budget.session_max_cost_usd) throw sessionSpent(spent, budget.session_max_cost_usd)
  return budgetOfTurn(budget, asked, spent)
}

async function requireTurnLeft({ transcripts }: Pick<Runs, 'transcripts'>, sessionId: string, most: number) {
  const found = await transcripts.read(sessionId, { limit: 1 })
  if (!found || found.session.turns < most) return
  throw new Fault('forbidden', `The session has had the ${most} turns that it may have (session_max_turns).`)
}

async function spentBy({ db, spent }: BudgetDeps, internId: string, sessionId: string): Promise<number> {
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const { spentUsd, unsettled, isOpen } = await sessionSpending(db.query, internId, sessionId)
    if (isOpen && waitedMs < writtenWithinMs) {
      await sleep(lookEveryMs)
      continue
    }
    const metered = unsettled.map(({ meteredKey, beganAt, endedAt }) =>
      spent(meteredKey, beganAt, endedAt ?? undefined),
    )
    return (await Promise.all(metered)).reduce((sum, usd) => sum + usd, spentUsd)
  }
}

const sessionSpent = (spent: number, most: number) =>
  new Fault(
    'forbidden',
    `The session has cost ${usd(spent)} USD of the ${usd(most)} that it may (session_max_cost_usd).`,
  )
