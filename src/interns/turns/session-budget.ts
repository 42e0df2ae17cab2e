import { waitFor } from '#platform/async/wait-for.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { changesOf } from '#platform/db/signals.ts'
import { Refusal } from '../contract/refusal.ts'
import type { Runs, StartTurn } from '../contract/runs.ts'
import { usd } from '../contract/turn-budget.ts'
import { budgetOfTurn, type InternBudget, type PromptBudget } from '../registry/budget.ts'
import { type Spent, sessionSpending, spentBySession } from '../runs/run-spending.ts'

type BudgetDeps = { db: Pick<Db, 'query' | 'signals'>; spent: Spent }
type Prompted = { id: string; budget: InternBudget | null }

/** A turn that is over is written down within this; the next one of its session waits for it so long. */
const writtenWithinMs = 2000

type Limits = { sessionId: string | undefined; asked: PromptBudget | null | undefined }
type Allowed = Pick<StartTurn, 'budget' | 'turnsBefore'>

/**
 * Begins the next turn of a session with what it may take. Where another turn was quicker, it is worked out anew: of prompts
 * that come at once each would else see what the session had before all of them. @throws Fault `forbidden` where the
 * session may have no more turns: no reason of the chat route stands for that, as for limits of guardrails.
 */
export async function startWithinBudget<T>(
  deps: BudgetDeps,
  intern: Prompted,
  runs: Pick<Runs, 'transcripts'>,
  limits: Limits,
  begin: (allowed: Allowed) => Promise<T>,
): Promise<T> {
  for (;;) {
    const allowed = await allowedNow(deps, intern, runs, limits)
    try {
      return await begin(allowed)
    } catch (error) {
      if (!(error instanceof Refusal && error.kind === 'session_moved')) throw error
    }
  }
}

async function allowedNow(
  deps: BudgetDeps,
  { id, budget }: Prompted,
  { transcripts }: Pick<Runs, 'transcripts'>,
  { sessionId, asked }: Limits,
): Promise<Allowed> {
  const { session_max_turns: mostTurns, session_max_cost_usd: mostUsd } = budget ?? {}
  if (sessionId === undefined || (mostTurns == null && mostUsd == null))
    return { budget: budgetOfTurn(budget, asked, 0) }
  // Before what it has spent: a turn in between is noticed.
  const turnsBefore = (await transcripts.read(sessionId, { limit: 1 }))?.session.turns ?? 0
  if (mostTurns != null && turnsBefore >= mostTurns) throw noTurnLeft(mostTurns)
  const spent = mostUsd == null ? 0 : await spentBy(deps, id, sessionId)
  if (mostUsd != null && spent >= mostUsd) throw sessionSpent(spent, mostUsd)
  return { budget: budgetOfTurn(budget, asked, spent), turnsBefore }
}

const noTurnLeft = (most: number) =>
  new Fault('forbidden', `The session has had the ${most} turns that it may have (session_max_turns).`)

async function spentBy(deps: BudgetDeps, internId: string, sessionId: string): Promise<number> {
  const { query, signals } = deps.db
  const hasEnded = async () => !(await sessionSpending(query, internId, sessionId)).isOpen || undefined
  await waitFor(hasEnded, { subscribe: changesOf(signals, 'run.changed', internId), timeoutMs: writtenWithinMs })
  return spentBySession(deps, internId, sessionId)
}

const sessionSpent = (spent: number, most: number) =>
  new Fault(
    'forbidden',
    `The session has cost ${usd(spent)} USD of the ${usd(most)} that it may (session_max_cost_usd).`,
  )
