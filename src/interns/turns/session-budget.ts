import { retry } from '#platform/async/retry.ts'
import { waitUntil } from '#platform/async/wait-for.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import { subscribeToEntity } from '#platform/db/signals.ts'
import type { DaemonApi, StartTurn } from '../contract/daemon-api.ts'
import { Refusal } from '../contract/refusal.ts'
import { formatUsd } from '../contract/turn-budget.ts'
import { computeTurnBudget, type InternBudget, type PromptBudget } from '../registry/intern-budget.ts'
import { type ReadSpending, readSessionCost, readSessionSpending } from '../runs/run-spending.ts'

type BudgetDeps = { db: Pick<Db, 'query' | 'signals'>; readSpending: ReadSpending }
type PromptedIntern = { id: string; budget: InternBudget | null }

/** A turn waits at most this time until the end of the previous turn is stored. */
const storeTimeoutMs = 2000

type Limits = { sessionId: string | undefined; promptBudget: PromptBudget | null | undefined }
type TurnOptions = Pick<StartTurn, 'budget' | 'turnsBefore'>

/**
 * Starts the next turn of a session with its remaining budget. If another turn of the session started meanwhile, the budget is
 * computed again: concurrent prompts would otherwise all use the same remainder. @throws Fault `forbidden` if the session has
 * reached a limit.
 */
export async function startWithinBudget<T>(
  deps: BudgetDeps,
  intern: PromptedIntern,
  runs: Pick<DaemonApi, 'transcripts'>,
  limits: Limits,
  start: (options: TurnOptions) => Promise<T>,
): Promise<T> {
  const attempt = async () => start(await readRemainingBudget(deps, intern, runs, limits))
  return retry(attempt, (_, error) => (error instanceof Refusal && error.kind === 'session_moved' ? 0 : undefined))
}

async function readRemainingBudget(
  deps: BudgetDeps,
  { id, budget }: PromptedIntern,
  { transcripts }: Pick<DaemonApi, 'transcripts'>,
  { sessionId, promptBudget }: Limits,
): Promise<TurnOptions> {
  const { session_max_turns: maxTurns, session_max_cost_usd: maxUsd } = budget ?? {}
  if (sessionId === undefined || (maxTurns == null && maxUsd == null))
    return { budget: computeTurnBudget(budget, promptBudget, 0) }
  // Read before the cost, so that a turn that starts in between is noticed.
  const turnsBefore = (await transcripts.read(sessionId, { limit: 1 }))?.session.turns ?? 0
  if (maxTurns != null && turnsBefore >= maxTurns) throw turnLimitFault(maxTurns)
  const spentUsd = maxUsd == null ? 0 : await readSettledCost(deps, id, sessionId)
  if (maxUsd != null && spentUsd >= maxUsd) throw costLimitFault(spentUsd, maxUsd)
  return { budget: computeTurnBudget(budget, promptBudget, spentUsd), turnsBefore }
}

const turnLimitFault = (limit: number) =>
  new Fault('forbidden', `The session reached its limit of ${limit} turns (session_max_turns).`)

async function readSettledCost(deps: BudgetDeps, internId: string, sessionId: string): Promise<number> {
  const { query, signals } = deps.db
  const haveRunsEnded = async () => !(await readSessionSpending(query, internId, sessionId)).isOpen
  const subscribe = subscribeToEntity(signals, 'run.changed', internId)
  await waitUntil(haveRunsEnded, { subscribe, timeoutMs: storeTimeoutMs })
  return readSessionCost(deps, internId, sessionId)
}

const costLimitFault = (spentUsd: number, limitUsd: number) =>
  new Fault(
    'forbidden',
    `The session has cost ${formatUsd(spentUsd)} USD, its limit is ${formatUsd(limitUsd)} USD (session_max_cost_usd).`,
  )
