import type { Caller } from '#accounts/caller.ts'
import { Fault } from '#lib/fault.ts'
import { type ApprovalDeps, answering } from './approvals.ts'
import { asChatFault, chatFault } from './chat-fault.ts'
import type { InternChatRequest, Saying } from './chat-request.ts'
import { modeOf, sayingOf } from './chat-request.ts'
import type { ApprovalMode } from './intern.ts'
import type { Question } from './question.ts'
import { saveQuestion } from './questions.ts'
import type { Runs } from './runs.ts'
import { Silence } from './silence.ts'
import { findIntern, type Intern } from './store.ts'
import type { TurnEvent } from './turn-event.ts'
import { countTurn, type TurnRates } from './turn-rate.ts'

export type ConverseDeps = ApprovalDeps & {
  /** The way to the daemon of a running intern. */
  runsOf: (intern: Intern) => Runs
  rates: TurnRates
  /** A prompt or an answer as guardrails let it through. @throws Fault `forbidden`. */
  screen: (caller: Caller, text: string, form: 'prompt' | 'answer') => Promise<string>
  /** How long an intern may say nothing, before its reply and within. */
  budgetMs: number
}

/** `internId` may be its name: `found` hears of its id, before anything is said to it. */
export type Asked = { internId: string; request: InternChatRequest; found?: (id: string) => void }

/** A turn that has begun. Its events end with the one that closes the reply, or with `timeout`. */
export type Turn = {
  started: Extract<TurnEvent, { type: 'turn.started' }>
  events: AsyncIterableIterator<TurnEvent | 'timeout', undefined>
}

/**
 * Starts a turn, or answers the question that one waits with. Until the turn has begun every failure is a fault; after
 * it, an event.
 */
export async function converse(
  deps: ConverseDeps,
  caller: Caller,
  { internId, request, found }: Asked,
  signal: AbortSignal,
): Promise<Turn> {
  const saying = sayingOf(request)
  const intern = await readyIntern(deps, caller, internId)
  found?.(intern.id)
  const mode = modeOf(saying.say === 'prompt' ? saying.mode : undefined, intern.approvalMode)
  if (saying.say === 'prompt') {
    await withinRate(deps, caller)
    saying.prompt = await deps.screen(caller, saying.prompt, 'prompt')
  } else {
    saying.answer = await deps.screen(caller, saying.answer, 'answer')
  }

  const giveUp = new AbortController()
  const stop = AbortSignal.any([signal, giveUp.signal])
  const silence = new Silence(deps.budgetMs, () => giveUp.abort())
  try {
    const runs = deps.runsOf(intern)
    const by = { caller, internId: intern.id }
    const heard =
      saying.say === 'prompt'
        ? await begin(runs, saying, mode, stop)
        : await answering(deps, { ...by, answer: saying }, (answer) => runs.answer(answer, stop))
    const events = heard[Symbol.asyncIterator]()
    const first = await events.next()
    if (!first.done && first.value.type === 'turn.failed') throw failedAtOnce(first.value)
    if (first.done || first.value.type !== 'turn.started') {
      await events.return?.()
      throw severed
    }
    const { sessionId } = first.value
    const noted = notingQuestions(events, (question, deadlineAt) =>
      saveQuestion(deps, intern.id, { question, sessionId, deadlineAt }),
    )
    return { started: first.value, events: until(noted, silence, giveUp.signal) }
  } catch (error) {
    silence.stop()
    const timedOut = giveUp.signal.aborted
    // What has begun all the same goes no further.
    giveUp.abort()
    if (signal.aborted)
      throw chatFault('client_closed_request', 'client_closed_request', 'The client closed the request.')
    if (timedOut) throw timeoutFault(deps.budgetMs)
    throw asChatFault(error)
  }
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

type Prompt = Extract<Saying, { say: 'prompt' }>

function begin(runs: Runs, { prompt, sessionId }: Prompt, mode: ApprovalMode, signal: AbortSignal) {
  return runs.start({ prompt, mode, ...(sessionId !== undefined && { sessionId }) }, signal)
}

type Note = (question: Question, deadlineAt: number) => Promise<void>

/** A question is kept before its caller hears it: what is answered must be known. */
function notingQuestions(events: AsyncIterator<TurnEvent>, note: Note): AsyncIterator<TurnEvent> {
  const next = async () => {
    const result = await events.next()
    if (!result.done && result.value.type === 'question.asked')
      await note(result.value.question, result.value.deadlineAt)
    return result
  }
  return { next, return: async () => (await events.return?.()) ?? { done: true, value: undefined } }
}

async function readyIntern(deps: ConverseDeps, caller: Caller, id: string): Promise<Intern> {
  const intern = await findIntern(deps, caller, id).catch((error: unknown) => {
    const unknown = error instanceof Fault && error.kind === 'not_found'
    throw unknown ? chatFault('not_found', 'not_found', 'There is no such intern.') : error
  })
  if (intern.status === 'running') return intern
  throw chatFault(
    'conflict',
    'intern_not_ready',
    `The intern is not running: it is ${intern.status}.${intern.status === 'provisioning' ? ' Try again in a moment.' : ''}`,
  )
}

async function withinRate(deps: ConverseDeps, caller: Caller): Promise<void> {
  const waitMs = await countTurn(deps, caller, deps.rates)
  if (waitMs === undefined) return
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  throw chatFault('rate_limited', 'rate_limited', 'Too many turns this minute for this user or organization.', {
    retryAfterSeconds,
  })
}

/** Passes events on while they come. When they stop coming for too long, `timeout` is the last. */
function until(events: AsyncIterator<TurnEvent>, silence: Silence, gaveUp: AbortSignal): Turn['events'] {
  const leave = async () => {
    silence.stop()
    await events.return?.()
    return { done: true as const, value: undefined }
  }
  const next = async () => {
    try {
      const result = await events.next()
      if (result.done) silence.stop()
      else silence.broken()
      return result
    } catch (error) {
      await leave()
      if (!gaveUp.aborted) throw error
      return { done: false as const, value: 'timeout' as const }
    }
  }
  const passed = { next, return: leave, [Symbol.asyncIterator]: () => passed }
  return passed
}
