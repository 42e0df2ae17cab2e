import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'
import { type Attachment, textIn } from '../contract/attachments.ts'
import { asChatFault, chatFault } from '../contract/chat-fault.ts'
import type { TurnEvent } from '../contract/turn-event.ts'
import { findIntern, type Intern } from '../registry/store.ts'
import type { AnswerLink } from '../runs/approvals.ts'
import { waitUntilStored } from '../runs/limited-turns.ts'
import { type Metered, withMeteredUsage } from '../runs/metered-usage.ts'
import { saveQuestion } from '../runs/questions.ts'
import { storeRun } from '../runs/store-run.ts'
import { type InternChatRequest, modeOf, type TurnInput, turnInputOf } from './chat-request.ts'
import { IdleTimer } from './idle-timer.ts'
import { completing, nextUntilIdle } from './pass-events.ts'
import {
  prewarmConnection,
  requireReady,
  resumeWithAnswer,
  type StartedTurn,
  type StartTurnDeps,
  startPrompt,
  type TurnContext,
} from './start-turn.ts'
import { countTurn, type TurnRates } from './turn-rate.ts'

export type ChatTurnDeps = StartTurnDeps & {
  rates: TurnRates
  /** A prompt or an answer as guardrails let it through. @throws Fault `forbidden`. */
  screen: (caller: Caller, text: string, form: 'prompt' | 'answer', signal: AbortSignal) => Promise<string>
  metered: Metered
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
  using way = prewarmConnection(deps, known)
  const mode = modeOf(input.kind === 'prompt' ? input.mode : undefined, known.approvalMode)
  if (input.kind === 'prompt') await withinRate(deps, caller)
  await screenInput(deps, caller, input, signal)

  const background = request.background === true
  const speaker = { by: caller.userId, activity: request.stream_options?.include_activity === true, background }
  const giveUp = new AbortController()
  const stop = AbortSignal.any([signal, giveUp.signal])
  const idleTimer = new IdleTimer(deps.budgetMs, () => giveUp.abort())
  try {
    const asked = { caller, known, link, way, speaker }
    const begun =
      input.kind === 'prompt'
        ? await startPrompt(deps, asked, { ...input, mode, budget: request.budget }, stop)
        : await resumeWithAnswer(deps, asked, input, stop)
    const { started, events } = await openedStream(begun.heard)
    await noteBegun(deps, asked, begun, started)
    return { started, events: nextUntilIdle(keepingEnds(deps, begun, started, events), idleTimer, giveUp.signal) }
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

/** Text that is said to the intern as guardrails let it through, also that of files. @throws Fault `forbidden`. */
async function screenInput(deps: ChatTurnDeps, caller: Caller, input: TurnInput, signal: AbortSignal): Promise<void> {
  if (input.kind === 'answer') input.answer = await deps.screen(caller, input.answer, 'answer', signal)
  else {
    input.prompt = await deps.screen(caller, input.prompt, 'prompt', signal)
    for (const attachment of input.attachments) await screenFile(deps, caller, attachment, signal)
  }
}

type Started = Turn['started']

/** The event with which a turn begins, and what follows it. @throws Fault where it begins with none. */
async function openedStream(heard: AsyncIterable<TurnEvent>) {
  const events = heard[Symbol.asyncIterator]()
  const first = await events.next()
  if (!first.done && first.value.type === 'turn.failed') throw failedAtOnce(first.value)
  if (!first.done && first.value.type === 'turn.started') return { started: first.value, events }
  await events.return?.()
  throw severed
}

/**
 * Stores a run before its caller knows its id: the caller can cancel it, and what it costs counts even if its intern is stopped
 * the next moment. An answer changes a stored run only when it moves it to the background.
 */
async function noteBegun(
  deps: ChatTurnDeps,
  { caller, link, speaker: { background } }: TurnContext,
  { intern, runs, prompted }: StartedTurn,
  { runId: id, sessionId }: Started,
): Promise<void> {
  const { at = deps.now(), budget } = prompted ?? {}
  if (!background && !prompted) return
  await storeRun(deps, runs, intern.id, {
    ...{ id, sessionId, background, startedAt: at, budget, meteredKey: intern.keyHash },
    // Whoever answers does not begin it.
    startedBy: prompted ? caller.userId : null,
    // Who is signed in, or follows a link, acts without a key of their own.
    keyHash: background && caller.access === undefined && !link ? caller.keyHash : undefined,
  })
}

/** The events of a turn: what its end or its question says is kept before its caller hears it. */
function keepingEnds(
  deps: ChatTurnDeps,
  { intern, runs, prompted }: StartedTurn,
  { runId, sessionId }: Started,
  events: AsyncIterator<TurnEvent>,
): AsyncIterator<TurnEvent> {
  let decided: Promise<void> | undefined
  const decision = () => {
    decided = deps.decisions.collect(intern, runs)
  }
  return completing(events, decision, async (event) => {
    await decided
    // What is answered must be known.
    if (event.type === 'question.asked') {
      const action = event.action && (await deps.decisions.concealed(intern, event.action))
      const { question, deadlineAt } = event
      await saveQuestion(deps, intern.id, { question, sessionId, deadlineAt, action })
      return event
    }
    const limit = !prompted || prompted.budget?.costUsd !== undefined ? 'limited' : 'unlimited'
    // A failure to look does not fail the reply.
    const written = waitUntilStored(deps.db, intern.id, runId, limit).catch(() => {})
    const [told] = await Promise.all([withMeteredUsage(event, intern.keyHash, deps.metered), written])
    return told
  })
}

/** The text of a file is said to the intern as much as any. */
async function screenFile(
  deps: ChatTurnDeps,
  caller: Caller,
  attachment: Attachment,
  signal: AbortSignal,
): Promise<void> {
  const text = textIn(attachment)
  if (text === undefined) return
  attachment.data = Buffer.from(await deps.screen(caller, text, 'prompt', signal)).toString('base64')
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

async function readyIntern(deps: ChatTurnDeps, caller: Caller, id: string): Promise<Intern> {
  const intern = await findIntern(deps, caller, id).catch((error: unknown) => {
    const unknown = error instanceof Fault && error.kind === 'not_found'
    throw unknown ? chatFault('not_found', 'not_found', 'There is no such intern.') : error
  })
  // One that sleeps is woken when all else is known to be right.
  if (intern.asleepSince === null) requireReady(intern)
  return intern
}

async function withinRate(deps: ChatTurnDeps, caller: Caller): Promise<void> {
  const waitMs = await countTurn(deps, caller, deps.rates)
  if (waitMs === undefined) return
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  throw chatFault('rate_limited', 'rate_limited', 'Too many turns this minute for this user or organization.', {
    retryAfterSeconds,
  })
}
