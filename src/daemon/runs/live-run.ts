import type { Usage } from '#chat/usage.ts'
import type { ApprovalMode } from '#interns/contract/approval-mode.ts'
import type { TurnCaller } from '#interns/contract/daemon-api.ts'
import type { Question } from '#interns/contract/question.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import { type EndReason, newRun, type RunEvent, type RunState, step } from '#interns/contract/run.ts'
import type { BudgetLimitName, TurnBudget } from '#interns/contract/turn-budget.ts'
import type { TurnEvent } from '#interns/contract/turn-event.ts'
import type { Limits } from '../settings/limits.ts'
import { type Explanation, outputLostMessage, saveRunEnd, toClosingEvent, toRefusal } from './closing-event.ts'
import { RunBudget } from './limits/run-budget.ts'
import { type QuestionToAsk, requireSmallQuestion } from './questions/pending-question.ts'
import { RunQuestions } from './questions/run-questions.ts'
import type { Backpressure } from './reply/outbox.ts'
import { RunReply, type TurnStream } from './reply/run-reply.ts'
import type { RunPersistence } from './run-persistence.ts'
import type { Session } from './sessions/session.ts'
import { takeSessionNotes } from './sessions/session-notes.ts'
import { toTurnFailure } from './turn/turn-failure.ts'

type LiveRunDeps = {
  limits: Limits
  /** The system time, for instants that leave the daemon. */
  now: () => number
  /** A monotonic clock, for deadlines and durations. */
  monotonicNow: () => number
  /** Whether one more run can stay open while it waits for an answer. */
  canWait: () => boolean
  backpressure: Backpressure
  persistence: RunPersistence
  /** Called when the run has a new deadline. */
  onDeadlineChanged: () => void
  /** Called when the run has ended, before its pending questions are cancelled. */
  onEnded: (run: LiveRun, reason: EndReason) => void
}

const withdrawnNote = 'The agent has withdrawn its question.\n'

const withdrawnOutputLostMessage =
  'The agent has withdrawn this question, and wrote more output since than the intern stores. The output is in the transcript.'

type RunOptions = { mode: ApprovalMode } & Pick<TurnCaller, 'activity' | 'background'> & {
    budget?: TurnBudget | undefined
  }

/** A run in progress: its state, and the effects of each change on its reply, its questions, its budget and the store. */
export class LiveRun {
  readonly id: string
  readonly session: Session
  readonly mode: ApprovalMode
  readonly reply: RunReply
  readonly questions = new RunQuestions()
  readonly #deps: LiveRunDeps
  #state: RunState = newRun
  /** Whether the run uses the agent. A run that waits for the previous run does not keep a stuck agent alive. */
  needsAgent = false
  #isAlone = true
  readonly #startedAt: number
  readonly #budget: RunBudget

  constructor(deps: LiveRunDeps, id: string, session: Session, { mode, budget = {}, ...replyOptions }: RunOptions) {
    this.#deps = deps
    this.id = id
    this.session = session
    this.mode = mode
    this.#budget = new RunBudget(budget, deps.monotonicNow)
    this.#startedAt = deps.now()
    const onDisconnect = () => this.apply({ type: 'client.disconnected' })
    this.reply = new RunReply(deps.limits, deps.backpressure, replyOptions, onDisconnect)
  }

  state(): RunState {
    return this.#state
  }

  /** Notes that another run is in progress: metered requests can belong to either. */
  markConcurrent(): void {
    this.#isAlone = false
  }

  /** Applies an event to the state of the run, and performs its effects. `explanation` describes a failure. */
  apply(event: RunEvent, explanation: Explanation = {}): void {
    const before = this.#state
    const after = step(before, event)
    if (after === before) return
    const isAsking = after.at === 'waiting' && !(before.at === 'waiting' && before.question === after.question)
    const questionEvent = isAsking ? this.#trySavingQuestion(after) : undefined
    if (isAsking && !questionEvent) return
    this.#state = after
    if (before.at === 'starting' && after.at !== 'ended') {
      const notes = takeSessionNotes(this.session).map((text) => ({ type: 'reasoning.added' as const, text }))
      this.reply.start([this.#startedEvent(), ...notes])
    }
    if (questionEvent) {
      this.reply.push(questionEvent)
      this.#deps.onDeadlineChanged()
    }
    if (after.at === 'running') this.startClock()
    else this.#budget.setWorking(false)
    if (after.at === 'ended') this.#end(before, after.reason, explanation)
  }

  /**
   * Saves the question that the run will wait for. A queued question is saved only now: it could not be answered before, and its
   * deadline was unknown. @returns its event; undefined if it cannot be saved, which ends the run.
   */
  #trySavingQuestion({ question, deadlineAt: at }: Extract<RunState, { at: 'waiting' }>): TurnEvent | undefined {
    const action = this.questions.actionOf(question.id)
    const deadlineAt = this.#toInstant(at)
    try {
      this.#deps.persistence.saveQuestion(this, { question, action }, deadlineAt)
      return { type: 'question.asked', question, deadlineAt, action }
    } catch (error) {
      this.fail(error)
      return undefined
    }
  }

  /** Counts working time from now on. */
  startClock(): void {
    this.#budget.setWorking(true)
    if (this.#budget.hasTimeLimit) this.#deps.onDeadlineChanged()
  }

  /** The deadline of the pending question, or the end of the working time, by the monotonic clock. */
  deadline(): number | undefined {
    return this.#state.at === 'waiting' ? this.#state.deadlineAt : this.#budget.timeLimitAt()
  }

  /** Ends the run if its deadline has passed. @param now the time of the monotonic clock. */
  tick(now: number): void {
    this.apply({ type: 'clock.ticked', now })
    if (this.#state.at === 'waiting' || this.#state.at === 'ended') return
    if (now >= (this.deadline() ?? Number.POSITIVE_INFINITY)) this.endOverBudget('max_seconds')
  }

  /** Compares the cost that the agent reported with the budget. */
  checkCost(usd: number | undefined): void {
    const limitName = this.#budget.findReachedCostLimit(usd)
    if (limitName) this.endOverBudget(limitName)
  }

  /** Ends the run at the request of a user. */
  cancel(message: string): void {
    // Starts the reply, even before any output: a client would retry a refused prompt, and so undo the cancellation.
    this.apply({ type: 'turn.started' })
    this.apply({ type: 'run.cancelled' }, { message })
  }

  /** Ends the run with the failure that its caller sees: that the agent died if its connection broke, otherwise the error. */
  fail(error: unknown, usage: Usage | null = null): void {
    const failure = toTurnFailure(error)
    this.apply(failure.isSevered ? { type: 'agent.died' } : { type: 'turn.failed' }, { ...failure, usage })
  }

  endOverBudget(budget: BudgetLimitName, neededUsd?: number): void {
    // Starts the reply, so that it can report the end, even before any output.
    this.apply({ type: 'turn.started' })
    this.apply({ type: 'budget.spent' }, { budget, message: this.#budget.limitMessage(budget, neededUsd) })
  }

  /** Sends output to the caller. Ignored after the end of the run. */
  write(event: TurnEvent): void {
    this.apply({ type: 'output.written' })
    if (this.#state.at !== 'ended') this.reply.push(event)
  }

  /** Asks the caller, now or after the questions before it. */
  ask(questionToAsk: QuestionToAsk, withdrawal: AbortSignal): Promise<unknown> {
    const { limits, monotonicNow, canWait } = this.#deps
    const { question } = questionToAsk
    // The first pending question is not queued: the caller has it.
    const isFull = this.questions.pendingCount > limits.maxQueuedQuestions
    if (this.#state.at === 'ended' || isFull) return Promise.resolve(questionToAsk.cancelledReply)
    requireSmallQuestion(question)
    const { replied } = this.questions.add(questionToAsk)
    withdrawal.addEventListener('abort', () => this.#withdraw(question))
    const deadlineAt = monotonicNow() + limits.questionMs
    this.apply({ type: 'question.asked', question, deadlineAt, canWait: canWait() })
    return replied
  }

  /** Ends a question that the agent withdrew, so that the run does not wait for an answer that nobody needs. */
  #withdraw(question: Question): void {
    const { limits, monotonicNow, persistence } = this.#deps
    if (!this.questions.withdraw(question.id)) return
    persistence.recordWithdrawal(this.session, question)
    if (this.#state.at === 'waiting' && this.#state.question.id === question.id)
      this.reply.push({ type: 'reasoning.added', text: withdrawnNote })
    this.apply({ type: 'question.withdrawn', questionId: question.id, deadlineAt: monotonicNow() + limits.questionMs })
  }

  /**
   * Attaches a caller that answers a withdrawn question, because its reply ended with that question. The answer is not used.
   * @throws Refusal if the run asks another question, or another caller is attached.
   */
  #resumeAfterWithdrawal(replyOptions: TurnCaller): TurnStream {
    if (this.#state.at !== 'running' || this.reply.isAttached)
      throw new Refusal('interaction_not_pending', 'The agent has withdrawn this question.')
    if (this.reply.wasOutputLost()) throw new Refusal('output_lost', withdrawnOutputLostMessage)
    return this.reply.resume(this.#startedEvent(), replyOptions)
  }

  /**
   * Attaches a caller and gives the agent its answer.
   * @throws Refusal, without effect. If output was lost, the run ends, because it cannot be resumed.
   */
  answer(questionId: string, answer: string, { by, ...replyOptions }: TurnCaller = {}): TurnStream {
    const { limits, monotonicNow } = this.#deps
    this.tick(monotonicNow())
    if (this.questions.wasWithdrawn(questionId)) return this.#resumeAfterWithdrawal(replyOptions)
    const pending = this.questions.requireWaiting(questionId, this.#state)
    if (this.reply.wasOutputLost()) {
      this.apply({ type: 'run.cancelled' }, { message: outputLostMessage })
      throw new Refusal('output_lost', outputLostMessage)
    }
    const parsed = pending.read(answer)
    const resumed = this.reply.resume(this.#startedEvent(), replyOptions)
    this.questions.removeAnswered(questionId, parsed)
    this.#deps.persistence.recordAnswer(this.session, pending.question, answer, by)
    this.apply({ type: 'answer.accepted', questionId, deadlineAt: monotonicNow() + limits.questionMs })
    // After the change of the state, because the agent continues to write.
    pending.reply(parsed.value)
    return resumed
  }

  /** The system time of a time of the monotonic clock. The server compares it with its own system time. */
  #toInstant(at: number): number {
    const { now, monotonicNow } = this.#deps
    return Math.round(at - monotonicNow() + now())
  }

  #startedEvent(): TurnEvent {
    return { type: 'turn.started', runId: this.id, sessionId: this.session.id, model: this.session.model }
  }

  #end(before: RunState, endReason: EndReason, explanation: Explanation): void {
    const metered = { ...explanation, meteredSince: this.#isAlone ? this.#startedAt : undefined }
    // The saved reason is `failed` instead of `finished` if the end could not be stored.
    const saved = saveRunEnd(
      (reason) => this.#deps.persistence.saveEnd(this.session, reason, metered),
      endReason,
      metered,
    )
    if (before.at === 'starting') this.reply.refuse(toRefusal(saved.reason, saved.explanation))
    else this.reply.end(toClosingEvent(saved.reason, { model: this.session.model, usage: null, ...saved.explanation }))
    this.#deps.onEnded(this, saved.reason)
    this.questions.cancelAll()
  }
}
