import type { Caller } from '#identity/accounts/caller.ts'
import type { ApprovalMode } from '../contract/approval-mode.ts'
import { chatFault } from '../contract/chat-fault.ts'
import type { DaemonApi, TurnCaller } from '../contract/daemon-api.ts'
import type { TurnBudget } from '../contract/turn-budget.ts'
import type { TurnEvent } from '../contract/turn-event.ts'
import { type WakeDeps, wakeIntern, withAwakeIntern } from '../lifecycle/wake-intern.ts'
import type { PromptBudget } from '../registry/intern-budget.ts'
import { type Intern, isAwake } from '../registry/intern-store.ts'
import type { DecisionCollector } from '../rules/decision-collector.ts'
import { type AnswerLink, type ApprovalDeps, answerWithAudit } from '../runs/approvals.ts'
import { announceTurn } from '../runs/limited-turns.ts'
import type { ReadSpending } from '../runs/run-spending.ts'
import type { TurnInput } from './chat-request.ts'
import { startWithinBudget } from './session-budget.ts'

export type StartTurnDeps = ApprovalDeps &
  Pick<WakeDeps, 'hosts'> & {
    /** The time without a run after which an intern falls asleep; 0 for never. */
    idleMs: number
    /** The connection to the daemon of a running intern. */
    runsOf: (intern: Intern) => DaemonApi
    readSpending: ReadSpending
    decisions: DecisionCollector
    /** The longest time without output from the intern, before and during its reply. */
    idleTimeoutMs: number
  }

/** The caller and the intern of a turn. */
export type TurnContext = {
  caller: Caller
  /** The intern as it was when the request arrived. It can be asleep. */
  intern: Intern
  link: AnswerLink | undefined
  connection: Pick<ReturnType<typeof prewarmConnection>, 'connect'>
  client: TurnCaller & { background: boolean }
}

/** A turn that its intern has started: a new run, or a run that its answer resumed. */
export type StartedTurn = {
  intern: Intern
  runs: DaemonApi
  events: AsyncIterable<TurnEvent>
  /** The time and budget of the prompt; undefined for an answer. */
  sentPrompt: { at: number; budget: TurnBudget | undefined } | undefined
}

type Prompt = Extract<TurnInput, { kind: 'prompt' }> & {
  mode: ApprovalMode
  budget: PromptBudget | null | undefined
}
type Answer = Extract<TurnInput, { kind: 'answer' }>

/** Starts a turn within its budget. Wakes an intern that sleeps. */
export function startPrompt(
  deps: StartTurnDeps,
  { intern: requested, connection, client }: TurnContext,
  { prompt, attachments, mode, sessionId: requestedSession, budget: promptBudget }: Prompt,
  stop: AbortSignal,
): Promise<StartedTurn> {
  const account = deps.newId()
  return withAwakeIntern(deps, requested, stop, async (intern) => {
    const runs = connectReadyIntern(deps, connection, intern)
    const limits = { sessionId: requestedSession, promptBudget }
    return startWithinBudget(deps, intern, runs, limits, ({ budget: allowed, turnsBefore }) => {
      // The budget of a session needs its id before its first turn.
      const sessionId = requestedSession ?? (allowed?.sessionUsd === undefined ? undefined : deps.newId())
      const turn = { account, internId: intern.id, sessionId, keyHash: intern.keyHash, budget: allowed }
      return announceTurn(deps, turn, async (budget) => {
        const sentPrompt = { at: deps.now(), budget }
        const runOptions = { mode, budget, turnsBefore, ...client, sessionId }
        const events = await runs.start({ prompt, attachments, ...runOptions }, stop)
        return { intern, runs, events, sentPrompt }
      })
    })
  })
}

/** Answers the pending question of a run, which starts the next turn. */
export async function resumeWithAnswer(
  deps: StartTurnDeps,
  { caller, intern: requested, link, connection, client }: TurnContext,
  input: Answer,
  stop: AbortSignal,
): Promise<StartedTurn> {
  const intern = await wakeIntern(deps, requested, stop)
  const runs = connectReadyIntern(deps, connection, intern)
  const answer = { caller, internId: requested.id, link, answer: input }
  const events = await answerWithAudit(deps, answer, (fields) => runs.answer({ ...fields, ...client }, stop))
  return { intern, runs, events, sentPrompt: undefined }
}

function connectReadyIntern(deps: StartTurnDeps, connection: TurnContext['connection'], intern: Intern): DaemonApi {
  requireReady(intern)
  // Uses another connection, because the prewarmed connection is for the turn.
  deps.decisions.collectRemaining(intern, deps.runsOf(intern))
  return connection.connect(intern)
}

/** Opens a connection to a running intern in advance, while its turn is prepared. */
export function prewarmConnection({ runsOf }: Pick<StartTurnDeps, 'runsOf'>, requested: Intern) {
  const runs = isAwake(requested) ? runsOf(requested) : undefined
  const close = runs?.prewarm?.()
  return {
    connect: (intern: Intern) => (runs && intern === requested ? runs : runsOf(intern)),
    [Symbol.dispose]: () => close?.(),
  }
}

/** @throws Fault if the intern does not run. */
export function requireReady(intern: Intern): void {
  if (intern.status === 'running') return
  throw chatFault(
    'conflict',
    'intern_not_ready',
    `The intern is not running: it is ${intern.status}.${describeNextStep(intern)}`,
  )
}

function describeNextStep({ id, status, lastFailureMessage }: Intern): string {
  const start = `POST /interns/${id}/provision starts it`
  switch (status) {
    case 'queued':
    case 'provisioning':
      return ' Try again shortly.'
    case 'failed':
      return ` ${lastFailureMessage ?? 'No reason was reported.'} The service may restart it; otherwise ${start}.`
    case 'stopped':
      return ` ${start}.`
    default:
      return ''
  }
}
