import type { Caller } from '#identity/accounts/caller.ts'
import { chatFault } from '../contract/chat-fault.ts'
import type { Runs, TurnCaller } from '../contract/runs.ts'
import type { TurnBudget } from '../contract/turn-budget.ts'
import type { TurnEvent } from '../contract/turn-event.ts'
import { awake, type WakeDeps, whileAwake } from '../lifecycle/wake.ts'
import type { PromptBudget } from '../registry/budget.ts'
import type { ApprovalMode } from '../registry/intern.ts'
import type { Intern } from '../registry/store.ts'
import type { DecisionCollector } from '../rules/collect.ts'
import { type AnswerLink, type ApprovalDeps, answering } from '../runs/approvals.ts'
import { announcing } from '../runs/limited-turns.ts'
import type { Spent } from '../runs/run-spending.ts'
import type { TurnInput } from './chat-request.ts'
import { startWithinBudget } from './session-budget.ts'

export type StartTurnDeps = ApprovalDeps &
  Pick<WakeDeps, 'hosts'> & {
    /** After how long without a turn an intern falls asleep; 0 for never. */
    idleMs: number
    /** The way to the daemon of a running intern. */
    runsOf: (intern: Intern) => Runs
    spent: Spent
    decisions: DecisionCollector
    /** The longest time without output from the intern, before and during its reply. */
    budgetMs: number
  }

/** Who asks what of which intern. */
export type TurnContext = {
  caller: Caller
  /** As it was when the request came: it may sleep. */
  known: Intern
  link: AnswerLink | undefined
  way: Pick<ReturnType<typeof prewarmConnection>, 'to'>
  speaker: TurnCaller & { background: boolean }
}

/** A turn that its intern has begun, or gone on with. */
export type StartedTurn = {
  intern: Intern
  runs: Runs
  heard: AsyncIterable<TurnEvent>
  /** When its prompt was given to the intern, and what it may take; undefined for an answer. */
  prompted: { at: number; budget: TurnBudget | undefined } | undefined
}

type Prompt = Extract<TurnInput, { kind: 'prompt' }> & {
  mode: ApprovalMode
  budget: PromptBudget | null | undefined
}
type Answer = Extract<TurnInput, { kind: 'answer' }>

/** Begins a turn within its budget. An intern that sleeps is woken for it. */
export function startPrompt(
  deps: StartTurnDeps,
  { known, way, speaker }: TurnContext,
  { prompt, attachments, mode, sessionId: wanted, budget: asked }: Prompt,
  stop: AbortSignal,
): Promise<StartedTurn> {
  const account = deps.newId()
  return whileAwake(deps, known, stop, async (intern) => {
    const runs = readyRuns(deps, way, intern)
    let prompted: StartedTurn['prompted']
    const limits = { sessionId: wanted, asked }
    const heard = await startWithinBudget(deps, intern, runs, limits, ({ budget: allowed, turnsBefore }) => {
      // What all turns of a session may cost is counted by its name, before its first turn tells it.
      const sessionId = wanted ?? (allowed?.sessionUsd === undefined ? undefined : deps.newId())
      const turn = { account, internId: intern.id, sessionId, keyHash: intern.keyHash, budget: allowed }
      return announcing(deps, turn, (budget) => {
        prompted = { at: deps.now(), budget }
        const manner = { mode, budget, turnsBefore, ...speaker, ...(sessionId !== undefined && { sessionId }) }
        return runs.start({ prompt, attachments, ...manner }, stop)
      })
    })
    return { intern, runs, heard, prompted }
  })
}

/** Answers the question that a turn waits with. */
export async function resumeWithAnswer(
  deps: StartTurnDeps,
  { caller, known, link, way, speaker }: TurnContext,
  input: Answer,
  stop: AbortSignal,
): Promise<StartedTurn> {
  const intern = await awake(deps, known, stop)
  const runs = readyRuns(deps, way, intern)
  const answer = { caller, internId: known.id, link, answer: input }
  const heard = await answering(deps, answer, (given) => runs.answer({ ...given, ...speaker }, stop))
  return { intern, runs, heard, prompted: undefined }
}

function readyRuns(deps: StartTurnDeps, way: TurnContext['way'], intern: Intern): Runs {
  requireReady(intern)
  // By another way: the one ahead is open for the turn.
  deps.decisions.collectLeft(intern, deps.runsOf(intern))
  return way.to(intern)
}

/** The way to an intern that runs, on which a connection is made while its turn is made ready. */
export function prewarmConnection({ runsOf }: Pick<StartTurnDeps, 'runsOf'>, known: Intern) {
  const runs = known.status === 'running' && known.asleepSince === null ? runsOf(known) : undefined
  const leave = runs?.ahead?.()
  return {
    to: (intern: Intern) => (runs && intern === known ? runs : runsOf(intern)),
    [Symbol.dispose]: () => leave?.(),
  }
}

/** @throws Fault where the intern does not run. */
export function requireReady(intern: Intern): void {
  if (intern.status === 'running') return
  throw chatFault(
    'conflict',
    'intern_not_ready',
    `The intern is not running: it is ${intern.status}.${whatNow(intern)}`,
  )
}

function whatNow({ id, status, lastFailureMessage }: Intern): string {
  const start = `POST /interns/${id}/provision starts it`
  switch (status) {
    case 'queued':
    case 'provisioning':
      return ' Try again in a moment.'
    case 'failed':
      return ` ${lastFailureMessage ?? 'No reason is known.'} The service may start it again by itself; else ${start}.`
    case 'stopped':
      return ` ${start}.`
    default:
      return ''
  }
}
