import type { Question } from '#interns/question.ts'
import { Refusal } from '#interns/refusal.ts'
import { type EndReason, newRun, type RunEvent, type RunState, step } from '#interns/run.ts'
import type { ApprovalMode } from '#interns/runs.ts'
import type { TurnEvent, TurnReport } from '#interns/turn-event.ts'
import { closingEvent, refusalFor } from './ending.ts'
import { requireRoomFor } from './event-pieces.ts'
import type { Limits } from './limits.ts'
import { createOutbox, type Pressure } from './outbox.ts'
import type { PendingQuestion } from './pending-question.ts'
import type { Session } from './session.ts'
import type { Verdict } from './verdict.ts'

/** What explains an event that ends a run. A `refusal` says why it did not begin. */
export type About = Partial<Verdict & TurnReport> & { refusal?: Refusal }

/** A run with all that hangs on it: its caller, its output, and the questions its agent waits for. */
export type LiveRun = {
  readonly id: string
  readonly session: Session
  readonly mode: ApprovalMode
  state(): RunState
  /** Lets something happen to the run, and does what follows. `about` explains an event that is a failure. */
  apply(event: RunEvent, about?: About): void
  /** Output for the caller. Nothing once the run has ended. */
  write(event: TurnEvent): void
  /** Asks the caller, now or when the questions before it are answered. */
  ask(pending: Omit<PendingQuestion, 'reply'>, withdrawn: AbortSignal): Promise<unknown>
  /** Attaches a caller and gives the agent its answer. Throws a `Refusal`, and then nothing has changed. */
  answer(questionId: string, answer: string): AsyncIterableIterator<TurnEvent>
  /** Resolves when the agent has begun the turn, rejects with a `Refusal` when it does not. */
  started: Promise<AsyncIterableIterator<TurnEvent>>
  /** Whether the last thing the caller said was a no. */
  lastAnswerWasNo(): boolean
  /** The caller reads too slowly to go on. */
  cutOff(): void
}

export type LiveRunDeps = {
  limits: Limits
  now: () => number
  /** Whether the intern can hold one more run open across a question. */
  canWait: () => boolean
  pressure: Pressure
  /** A question is about to be asked, and must be remembered. May throw. */
  asking: (run: LiveRun, question: Question, deadlineAt: number) => void
  /** The run waits, until its deadline. */
  waiting: (run: LiveRun) => void
  /** The run is over. Comes before its agent hears that its questions have no answer. */
  ended: (run: LiveRun, reason: EndReason) => void
}

export function createRun(deps: LiveRunDeps, id: string, session: Session, mode: ApprovalMode): LiveRun {
  const { limits } = deps
  const pending = new Map<string, PendingQuestion>()
  const outbox = createOutbox(limits, deps.pressure)
  const start = Promise.withResolvers<AsyncIterableIterator<TurnEvent>>()
  let state: RunState = newRun
  let lastAnswerWasNo = false

  const greeting = (): TurnEvent => ({ type: 'turn.started', runId: id, sessionId: session.id, model: session.model })
  const attach = (first?: TurnEvent) =>
    outbox.attach(first, () => apply({ type: 'client.disconnected', paused: false }))
  const stream = attach()
  start.promise.catch(() => {})

  const apply: LiveRun['apply'] = (event, about = {}) => {
    const before = state
    state = step(before, event)
    if (state === before) return
    if (before.at === 'starting' && state.at !== 'ended') {
      outbox.push(greeting())
      start.resolve(stream)
    }
    if (state.at === 'waiting' && !(before.at === 'waiting' && before.question === state.question)) {
      outbox.push({ type: 'question.asked', question: state.question, deadlineAt: state.deadlineAt })
      deps.waiting(run)
    }
    if (state.at === 'ended') end(before, state.reason, about)
  }
  const end = (before: RunState, reason: EndReason, about: About) => {
    const closing = closingEvent(reason, { model: session.model, usage: null, ...about })
    if (before.at === 'starting') {
      outbox.abandon()
      start.reject(refusalFor(reason, about))
    } else if (closing && outbox.attached()) outbox.push(closing)
    else outbox.abandon()
    deps.ended(run, reason)
    for (const one of pending.values()) one.reply(one.cancelled)
    pending.clear()
  }

  const ask: LiveRun['ask'] = (described, withdrawn) => {
    const { question } = described
    const full = pending.size > limits.maxQueuedQuestions
    if (state.at === 'ended' || full) return Promise.resolve(described.cancelled)
    requireRoomFor(question)
    const deadlineAt = deps.now() + limits.questionMs
    const { promise, resolve: reply } = Promise.withResolvers<unknown>()
    deps.asking(run, question, deadlineAt)
    pending.set(question.id, { ...described, reply })
    withdrawn.addEventListener('abort', () => {
      reply(described.cancelled)
      apply({ type: 'question.withdrawn', questionId: question.id })
    })
    apply({ type: 'question.asked', question, deadlineAt, held: deps.canWait() })
    return promise
  }
  const answer: LiveRun['answer'] = (questionId, words) => {
    apply({ type: 'clock.ticked', now: deps.now() })
    const one = answerable(questionId)
    let reading: ReturnType<PendingQuestion['read']>
    try {
      reading = one.read(words)
    } catch (error) {
      apply({ type: 'answer.refused', questionId })
      throw error
    }
    const resumed = attach(greeting())
    pending.delete(questionId)
    lastAnswerWasNo = !reading.consent
    apply({ type: 'answer.accepted', questionId, deadlineAt: deps.now() + limits.questionMs })
    one.reply(reading.value)
    return resumed
  }
  const answerable = (questionId: string): PendingQuestion => {
    const one = pending.get(questionId)
    if (state.at === 'waiting' && state.question.id === questionId && one) {
      if (!outbox.overflowed()) return one
      throw new Refusal(
        'output_lost',
        'The run wrote more while it waited than the intern retains; it cannot be resumed.',
      )
    }
    if (state.at === 'running') {
      throw new Refusal('already_attached', 'Another request has answered this question and is attached to the run.')
    }
    throw new Refusal('interaction_not_pending', 'This question is no longer waiting for an answer.')
  }

  const run: LiveRun = {
    id,
    session,
    mode,
    state: () => state,
    apply,
    write: (event) => {
      apply({ type: 'output.written' })
      if (state.at !== 'ended') outbox.push(event)
    },
    ask,
    answer,
    started: start.promise,
    lastAnswerWasNo: () => lastAnswerWasNo,
    cutOff: () => {
      outbox.abandon()
      apply({ type: 'client.disconnected', paused: false })
    },
  }
  return run
}
