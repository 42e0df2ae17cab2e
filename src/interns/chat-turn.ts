import type { Caller } from '#accounts/caller.ts'
import { Fault } from '#lib/fault.ts'
import { type AnswerLink, type ApprovalDeps, answering } from './approvals.ts'
import { type Attachment, textIn } from './attachments.ts'
import { asChatFault, chatFault } from './chat-fault.ts'
import type { InternChatRequest, TurnInput } from './chat-request.ts'
import { modeOf, turnInputOf } from './chat-request.ts'
import { IdleTimer } from './idle-timer.ts'
import { announcing } from './limited-turns.ts'
import { type Metered, withMeteredUsage } from './metered-usage.ts'
import { noteRun } from './note-run.ts'
import { completing, nextUntilIdle } from './pass-events.ts'
import { saveQuestion } from './questions.ts'
import type { DecisionCollector } from './rules/collect.ts'
import type { Spent } from './run-spending.ts'
import type { Runs, StartTurn, TurnCaller } from './runs.ts'
import { withinBudget } from './session-budget.ts'
import { findIntern, type Intern } from './store.ts'
import type { TurnBudget } from './turn-budget.ts'
import type { TurnEvent } from './turn-event.ts'
import { countTurn, type TurnRates } from './turn-rate.ts'
import { awake, type WakeDeps, whileAwake } from './wake.ts'

export type ChatTurnDeps = ApprovalDeps &
  Pick<WakeDeps, 'hosts'> & {
    /** After how long without a turn an intern falls asleep; 0 for never. */
    idleMs: number
    /** The way to the daemon of a running intern. */
    runsOf: (intern: Intern) => Runs
    rates: TurnRates
    /** A prompt or an answer as guardrails let it through. @throws Fault `forbidden`. */
    screen: (caller: Caller, text: string, form: 'prompt' | 'answer') => Promise<string>
    metered: Metered
    spent: Spent
    decisions: DecisionCollector
    /** The longest time without output from the intern, before and during its reply. */
    budgetMs: number
  }

/** `internId` may be its name: `found` hears of its id, before anything is said to it. */
export type ChatTurnRequest = {
  internId: string
  request: InternChatRequest
  found?: (id: string) => void
  /** By which link the request came, if it did not come with a key. */
  link?: AnswerLink
}

/** A turn that has begun. Its events end with the one that closes the reply, or with `timeout`. */
export type Turn = {
  started: Extract<TurnEvent, { type: 'turn.started' }>
  events: AsyncIterableIterator<TurnEvent | 'timeout', undefined>
}

/**
 * Starts a turn, or answers the question that one waits with. Until the turn has begun every failure is a fault; after
 * it, an event.
 */
export async function startChatTurn(
  deps: ChatTurnDeps,
  caller: Caller,
  { internId, request, found, link }: ChatTurnRequest,
  signal: AbortSignal,
): Promise<Turn> {
  const input = turnInputOf(request)
  const known = await readyIntern(deps, caller, internId)
  found?.(known.id)
  using way = wayAhead(deps, known)
  const mode = modeOf(input.kind === 'prompt' ? input.mode : undefined, known.approvalMode)
  if (input.kind === 'prompt') {
    await withinRate(deps, caller)
    input.prompt = await deps.screen(caller, input.prompt, 'prompt')
    for (const attachment of input.attachments) await screenFile(deps, caller, attachment)
  } else {
    input.answer = await deps.screen(caller, input.answer, 'answer')
  }

  const background = request.background === true
  const speaker = { by: caller.userId, activity: request.stream_options?.include_activity === true, background }
  const giveUp = new AbortController()
  const stop = AbortSignal.any([signal, giveUp.signal])
  const idleTimer = new IdleTimer(deps.budgetMs, () => giveUp.abort())
  try {
    let decided: Promise<void> | undefined
    const startedBy = async (intern: Intern, start: (runs: Runs) => Promise<AsyncIterable<TurnEvent>>) => {
      requireReady(intern)
      const runs = way.to(intern)
      // By another one: this way is open for the turn.
      deps.decisions.collectLeft(intern, deps.runsOf(intern))
      return { intern, runs, heard: await start(runs) }
    }
    const limits = { sessionId: input.sessionId, asked: request.budget }
    let begun: { at: number; budget: TurnBudget | undefined } | undefined
    const by = { caller, internId: known.id, link }
    const { intern, runs, heard } =
      input.kind === 'prompt'
        ? await whileAwake(deps, known, stop, (intern) =>
            startedBy(intern, (runs) =>
              withinBudget(deps, intern, runs, limits, ({ budget: allowed, turnsBefore }) => {
                const sessionId = input.sessionId ?? (allowed?.sessionUsd === undefined ? undefined : deps.newId())
                const turn = { internId: intern.id, sessionId, keyHash: intern.keyHash, budget: allowed }
                return announcing(deps, turn, (budget) => {
                  begun = { at: deps.now(), budget }
                  return begin(runs, { ...input, sessionId }, { mode, budget, turnsBefore, ...speaker }, stop)
                })
              }),
            ),
          )
        : await startedBy(await awake(deps, known, stop), (runs) =>
            answering(deps, { ...by, answer: input }, (answer) => runs.answer({ ...answer, ...speaker }, stop)),
          )
    const events = heard[Symbol.asyncIterator]()
    const first = await events.next()
    if (!first.done && first.value.type === 'turn.failed') throw failedAtOnce(first.value)
    if (first.done || first.value.type !== 'turn.started') {
      await events.return?.()
      throw severed
    }
    const { sessionId, runId } = first.value
    const { at = deps.now(), budget } = begun ?? {}
    if (background || budget?.costUsd !== undefined)
      await noteRun(deps, runs, intern.id, {
        ...{ id: runId, sessionId, background, beganAt: at, budget, meteredKey: intern.keyHash },
        // Whoever answers does not begin it.
        startedBy: input.kind === 'prompt' ? caller.userId : null,
        // Who is signed in, or follows a link, acts without a key of their own.
        keyHash: background && caller.access === undefined && !link ? caller.keyHash : undefined,
      })
    const decision = () => {
      decided = deps.decisions.collect(intern, runs)
    }
    const noted = completing(events, decision, async (event) => {
      await decided
      // Kept before its caller hears it: what is answered must be known.
      if (event.type === 'question.asked') {
        const action = event.action && (await deps.decisions.concealed(intern, event.action))
        const { question, deadlineAt } = event
        await saveQuestion(deps, intern.id, { question, sessionId, deadlineAt, action })
      }
      return withMeteredUsage(event, intern.keyHash, deps.metered)
    })
    return { started: first.value, events: nextUntilIdle(noted, idleTimer, giveUp.signal) }
  } catch (error) {
    idleTimer.stop()
    const timedOut = giveUp.signal.aborted
    // A turn that has begun meanwhile is ended.
    giveUp.abort()
    if (signal.aborted)
      throw chatFault('client_closed_request', 'client_closed_request', 'The client closed the request.')
    if (timedOut) throw timeoutFault(deps.budgetMs)
    throw asChatFault(error)
  }
}

/** The way to an intern that runs, on which a connection is made while its turn is made ready. */
function wayAhead({ runsOf }: Pick<ChatTurnDeps, 'runsOf'>, known: Intern) {
  const runs = known.status === 'running' && known.asleepSince === null ? runsOf(known) : undefined
  const leave = runs?.ahead?.()
  return {
    to: (intern: Intern) => (runs && intern === known ? runs : runsOf(intern)),
    [Symbol.dispose]: () => leave?.(),
  }
}

/** The text of a file is said to the intern as much as any. */
async function screenFile(deps: ChatTurnDeps, caller: Caller, attachment: Attachment): Promise<void> {
  const text = textIn(attachment)
  if (text === undefined) return
  attachment.data = Buffer.from(await deps.screen(caller, text, 'prompt')).toString('base64')
}

const severed = chatFault(
  'bad_gateway',
  'stream_severed',
  'The connection to the intern broke before the turn had begun.',
)

/** A stream that was no stream of events, or broke before the first of them. */
function failedAtOnce({ reason, message, retryable }: Extract<TurnEvent, { type: 'turn.failed' }>) {
  return reason === 'stream_severed' ? severed : chatFault('bad_gateway', reason, message, { retryable })
}

export function timeoutMessage(budgetMs: number): string {
  return `The intern said nothing for ${Math.round(budgetMs / 1000)} seconds.`
}

const timeoutFault = (budgetMs: number) => chatFault('gateway_timeout', 'timeout', timeoutMessage(budgetMs))

type Prompt = Extract<TurnInput, { kind: 'prompt' }>

type Manner = Pick<StartTurn, 'mode' | 'budget' | 'turnsBefore'> & TurnCaller

function begin(runs: Runs, { prompt, attachments, sessionId }: Prompt, manner: Manner, signal: AbortSignal) {
  return runs.start({ prompt, attachments, ...manner, ...(sessionId !== undefined && { sessionId }) }, signal)
}

async function readyIntern(deps: ChatTurnDeps, caller: Caller, id: string): Promise<Intern> {
  const intern = await findIntern(deps, caller, id).catch((error: unknown) => {
    const unknown = error instanceof Fault && error.kind === 'not_found'
    throw unknown ? chatFault('not_found', 'not_found', 'There is no such intern.') : error
  })
  // One that sleeps is woken when all else is known to be right.
  if (intern.asleepSince === null) requireReady(intern)
  return intern
}

function requireReady(intern: Intern): void {
  if (intern.status === 'running') return
  throw chatFault(
    'conflict',
    'intern_not_ready',
    `The intern is not running: it is ${intern.status}.${intern.status === 'provisioning' ? ' Try again in a moment.' : ''}`,
  )
}

async function withinRate(deps: ChatTurnDeps, caller: Caller): Promise<void> {
  const waitMs = await countTurn(deps, caller, deps.rates)
  if (waitMs === undefined) return
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  throw chatFault('rate_limited', 'rate_limited', 'Too many turns this minute for this user or organization.', {
    retryAfterSeconds,
  })
}
